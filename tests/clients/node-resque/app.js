// What a service built on node-resque (Resque's data and protocol in Node.js) does; run by ./run.
'use strict';
const { spawn } = require('child_process');
const os = require('os');
const readline = require('readline');
const { Plugins, Queue, Scheduler, Worker } = require('node-resque');

const connection = {
  pkg: 'ioredis',
  host: '127.0.0.1',
  port: Number(process.env.RUNG_PORT),
  database: 2,
  namespace: 'app',
};
const say = (...words) => console.log(...words.map((word) => JSON.stringify(word)));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const done = [];

const jobs = {
  add: {
    perform: async (a, b) => {
      done.push(['add', a, b]);
      return a + b;
    },
  },
  note: {
    perform: async (text) => {
      done.push(['note', text]);
      return text;
    },
  },
  fail: {
    perform: async () => {
      throw new Error('never works');
    },
  },
  retry: {
    plugins: [Plugins.Retry],
    pluginOptions: { Retry: { retryLimit: 3, retryDelay: 10 } },
    perform: async () => {
      done.push(['retry']);
      if (done.filter(([name]) => name === 'retry').length < 2) throw new Error('once');
      return 'fine';
    },
  },
  single: {
    plugins: [Plugins.QueueLock],
    perform: async (n) => {
      done.push(['single', n]);
    },
  },
  hang: {
    perform: async () => {
      console.log('taken');
      await new Promise(() => {});
    },
  },
};

async function until(what, test) {
  for (const deadline = Date.now() + 15000; ; await sleep(10)) {
    const found = await test();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
  }
}

async function startWorker(queues, name) {
  const worker = new Worker({ connection, queues, timeout: 20, name }, jobs);
  for (const event of ['error', 'failure']) worker.on(event, () => {});
  await worker.connect();
  await worker.start();
  return worker;
}

async function plainJobs(queue) {
  say(
    'enqueued',
    await queue.enqueue('math', 'add', [1, 2]),
    await queue.enqueue('math', 'add', [3, 4]),
    await queue.length('math'),
  );
  say('queued', await queue.queued('math', 0, -1), (await queue.queues()).sort(), await queue.stats());
  say('deleted', await queue.del('math', 'add', [3, 4]), await queue.length('math'));
  await queue.enqueue('low', 'note', ['low']);
  const results = [];
  const worker = await startWorker(['math', 'low'], 'w1');
  worker.on('success', (from, job, result) => results.push([from, job.class, result]));
  await until('two results', async () => results.length === 2);
  say('results', results, Object.values(await queue.workers()), Object.keys(await queue.allWorkingOn()));
  await queue.enqueue('math', 'single', [1]);
  await until('the lock to go', async () => done.some(([name]) => name === 'single'));
  await worker.end();
  say(
    'locked twice',
    await queue.enqueue('math', 'single', [7]),
    await queue.enqueue('math', 'single', [7]),
    await queue.length('math'),
    (await queue.locks()) && Object.keys(await queue.locks()),
  );
  say('stats', await queue.stats(), await queue.workers());
}

async function failures(queue) {
  const worker = await startWorker(['bad'], 'w2');
  await queue.enqueue('bad', 'fail', [1]);
  await until('the failure', async () => (await queue.failedCount()) === 1);
  const [failure] = await queue.failed(0, -1);
  say('failed', failure.payload, failure.exception, failure.error, failure.queue);
  await worker.end();
  await queue.retryAndRemoveFailed(failure);
  say('put again', await queue.failedCount(), await queue.length('bad'));
  await queue.delQueue('bad');
  say('queue deleted', (await queue.queues()).sort());
}

async function scheduled(queue) {
  const due = Math.ceil(Date.now() / 1000) * 1000 + 1000; // The library rounds to the nearest second, now as well.
  await queue.enqueueAt(due, 'later', 'note', ['second']);
  await queue.enqueueIn(100, 'later', 'note', ['first']);
  await queue.enqueueIn(3600000, 'later', 'note', ['tomorrow']);
  say(
    'scheduled',
    (await queue.timestamps()).length,
    (await queue.scheduledAt('later', 'note', ['tomorrow'])).length,
  );
  const scheduler = new Scheduler({ connection, timeout: 50, leaderLockTimeout: 10, stuckWorkerTimeout: 1000 });
  scheduler.on('error', () => {});
  await scheduler.connect();
  await scheduler.start();
  const worker = await startWorker(['later'], 'w3');
  await until('the second', async () => done.some(([, text]) => text === 'second'));
  say('order', done.filter(([name]) => name === 'note').slice(-2), Date.now() >= due - 500);
  say('removed', (await queue.delDelayed('later', 'note', ['tomorrow'])).length, await queue.timestamps());
  await queue.enqueue('later', 'retry', []);
  await until('the retry', async () => done.filter(([name]) => name === 'retry').length === 2);
  say('retried', await queue.failedCount(), (await queue.leader()).split(':')[0] === os.hostname());
  await worker.end();
  return scheduler;
}

// This file again, as a worker that takes a job and never ends it.
async function recovery(queue, scheduler) {
  await queue.enqueue('fragile', 'hang', [5]);
  const child = spawn(process.execPath, [__filename, 'doomed'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => readline.createInterface({ input: child.stdout }).once('line', resolve));
  say(
    'working',
    (await queue.allWorkingOn())['doomed']?.payload ??
      Object.values(await queue.allWorkingOn()).map((each) => each.payload),
  );
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  await until('the failed job', async () => (await queue.failedCount()) === 1);
  const [failure] = await queue.failed(0, -1);
  say('found', failure.payload, failure.exception, await queue.workers());
  await scheduler.end();
}

async function main() {
  if (process.argv[2] === 'doomed') return startWorker(['fragile'], 'doomed');
  const queue = new Queue({ connection }, jobs);
  queue.on('error', () => {});
  await queue.connect();
  await plainJobs(queue);
  await failures(queue);
  await recovery(queue, await scheduled(queue));
  await queue.end();
  return process.exit(0);
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
