// What a service built on bee-queue does; run by ./run, which says how its output is used.
'use strict';
const { spawn } = require('child_process');
const readline = require('readline');
const Queue = require('bee-queue');

const say = (...words) => console.log(...words.map((word) => JSON.stringify(word)));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const options = {
  redis: { port: Number(process.env.RUNG_PORT) },
  activateDelayedJobs: true,
  stallInterval: 300,
  nearTermWindow: 500,
  removeOnSuccess: false,
  quitCommandClient: true,
};

async function until(what, test) {
  for (const deadline = Date.now() + 15000; ; await sleep(10)) {
    const found = await test();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
  }
}

async function open(name, more = {}) {
  const queue = new Queue(name, { ...options, ...more });
  queue.on('error', () => {});
  await queue.ready();
  return queue;
}

const succeeded = (queue, count) =>
  until(`${count} successes`, async () => (await queue.checkHealth()).succeeded === count);

async function plainJobs() {
  const queue = await open('plain');
  const jobs = [];
  for (let n = 1; n <= 10; n++) jobs.push(await queue.createJob({ n }).save());
  say('health before', await queue.checkHealth());
  say(
    'waiting',
    (await queue.getJobs('waiting', { start: 0, end: 3 })).map((job) => job.data.n),
  );
  const [order, heard] = [[], []];
  queue.on('job succeeded', (id, result) => heard.push([id, result]));
  queue.on('job progress', (id, progress) => heard.push([id, progress]));
  queue.process(async (job) => {
    order.push(job.data.n);
    if (job.data.n === 3) job.reportProgress({ half: true });
    return job.data.n * 2;
  });
  await succeeded(queue, 10);
  await until('all events', async () => heard.length === 11);
  say('order', order, heard);
  say('health after', await queue.checkHealth());
  const job = await queue.getJob('4');
  say('job 4', job.status, job.data, job.options.timestamp > 0);
  await queue.removeJob('4');
  say('removed', await queue.getJob('4'), (await queue.checkHealth()).succeeded);
  say(
    'saveAll',
    [...(await queue.saveAll([queue.createJob({ n: 11 }), queue.createJob({ n: 12 })]))],
    (await queue.checkHealth()).newestJob,
  );
  await succeeded(queue, 11);
  await queue.close();
}

async function retries() {
  const queue = await open('retries');
  const starts = [];
  const heard = [];
  queue.on('job retrying', (id, error) => heard.push(['retrying', id, error.message]));
  queue.on('job failed', (id, error) => heard.push(['failed', id, error.message]));
  queue.process(3, async (job) => {
    starts.push(Date.now());
    if (job.data.fails-- > 0) throw new Error(`left ${job.options.retries}`);
    if (job.data.slow) await sleep(400);
    return 'fine';
  });
  await queue.createJob({ fails: 9 }).retries(2).backoff('fixed', 60).save();
  await until('the failure', async () => heard.length === 3);
  say('retries', heard, starts[1] - starts[0] >= 59, starts[2] - starts[1] >= 59);
  await queue.createJob({ fails: 0, slow: true }).timeout(50).save();
  await until('the timeout', async () => heard.length === 4);
  say('timeout', heard[3], await queue.checkHealth());
  await queue.close();
}

async function delays() {
  const queue = await open('delays');
  const start = Date.now();
  for (const delay of [300, 100, 200])
    await queue
      .createJob({ delay })
      .delayUntil(start + delay)
      .save();
  say(
    'delayed',
    (await queue.checkHealth()).delayed,
    (await queue.getJobs('delayed', { start: 0, end: 9 })).map((job) => job.data.delay),
  );
  const order = [];
  queue.process(async (job) => {
    order.push([job.data.delay, Date.now() - start >= job.data.delay]);
  });
  await succeeded(queue, 3);
  say('order, none too early', order);
  await queue.close();
}

async function sameIdentity() {
  const queue = await open('ids');
  const first = await queue.createJob({ n: 1 }).setId('mine').save();
  const second = await queue.createJob({ n: 2 }).setId('mine').save();
  say('identity', first.id, second.id, (await queue.getJob('mine')).data, (await queue.checkHealth()).waiting);
  say('destroyed', await queue.destroy().then(() => 'yes'), (await queue.checkHealth()).waiting);
  await queue.close();
}

// This file again, as a process that takes a job and never ends it.
async function doomed() {
  const queue = await open('fragile');
  queue.process(async () => {
    console.log('taken');
    await new Promise(() => {});
  });
}

async function stalled() {
  const queue = await open('fragile', { isWorker: true });
  await queue.createJob({ n: 1 }).save();
  const child = spawn(process.execPath, [__filename, 'doomed'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => readline.createInterface({ input: child.stdout }).once('line', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  say('active', (await queue.checkHealth()).active);
  const found = [];
  queue.on('stalled', (id) => found.push(id));
  const done = [];
  queue.process(async (job) => {
    done.push(job.data.n);
  });
  await queue.checkStalledJobs(150);
  await succeeded(queue, 1);
  say('recovered', done, found);
  await queue.close();
}

async function manyAtOnce() {
  const queue = await open('many');
  const times = new Map();
  queue.process(20, async (job) => {
    times.set(job.data.n, (times.get(job.data.n) ?? 0) + 1);
  });
  await queue.saveAll(Array.from({ length: 500 }, (_, n) => queue.createJob({ n })));
  await succeeded(queue, 500);
  say(
    'each once',
    times.size,
    [...times.values()].every((each) => each === 1),
  );
  await queue.close();
}

async function main() {
  if (process.argv[2] === 'doomed') return doomed();
  for (const step of [plainJobs, retries, delays, sameIdentity, stalled, manyAtOnce]) await step();
  return process.exit(0);
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
