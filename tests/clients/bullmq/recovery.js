// A worker dies in the middle of a job; another one takes it up. The server restarts under a worker.
'use strict';
const { spawn } = require('child_process');
const path = require('path');
const readline = require('readline');
const { say, queue, events, worker, until, settled } = require('./kit.js');

function doomedWorker(name) {
  const child = spawn(process.execPath, [path.join(__dirname, 'doomed_worker.js'), name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve) =>
    readline.createInterface({ input: child.stdout }).once('line', (line) => resolve([child, line])),
  );
}

async function stalledJob() {
  const fragile = queue('fragile');
  const listener = await events('fragile');
  const stalled = [];
  listener.on('stalled', ({ jobId }) => stalled.push(jobId));
  const job = await fragile.add('x', { n: 1 });
  const [child, taken] = await doomedWorker('fragile');
  say('taken by the doomed', taken, await job.getState());
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  say('still active', await job.getState(), await fragile.getActiveCount());
  worker('fragile', async (each) => `saved ${each.data.n}`, { stalledInterval: 300, lockDuration: 2000 });
  await settled(fragile, 1);
  const now = await fragile.getJob(job.id);
  say(
    'recovered',
    now.returnvalue,
    now.stalledCounter,
    await until('the event', async () => stalled.length > 0 && stalled),
  );
}

async function stalledTooOften() {
  const poison = queue('poison');
  const job = await poison.add('x', {});
  const [child] = await doomedWorker('poison');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  worker('poison', async () => 'never', { stalledInterval: 300, lockDuration: 2000, maxStalledCount: 0 });
  await settled(poison, 1);
  say('given up', await job.getState(), (await poison.getJob(job.id)).failedReason);
}

async function serverRestart() {
  const lines = readline.createInterface({ input: process.stdin });
  const lasting = queue('lasting');
  const done = [];
  worker('lasting', async (job) => {
    done.push(job.name);
  });
  await lasting.add('before', {});
  await settled(lasting, 1);
  console.log('!restart');
  await new Promise((resolve) => lines.once('line', resolve));
  lines.close();
  await lasting.add('after', {});
  await until('the worker to come back', async () => done.includes('after'));
  say('over a restart', done);
}

module.exports = { stalledJob, stalledTooOften, serverRestart };
