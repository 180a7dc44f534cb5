// What a service built on Bull 4 does; run by ./run, which says how its output is used.
'use strict';
const { spawn } = require('child_process');
const readline = require('readline');
const Queue = require('bull');

const say = (...words) => console.log(...words.map((word) => JSON.stringify(word)));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const opened = [];

async function until(what, test) {
  for (const deadline = Date.now() + 15000; ; await sleep(10)) {
    const found = await test();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
  }
}

async function open(name, more = {}) {
  const queue = new Queue(name, { redis: { port: Number(process.env.RUNG_PORT) }, ...more });
  queue.on('error', () => {});
  opened.push(queue);
  await queue.isReady();
  return queue;
}

const completed = (queue, count) =>
  until(`${count} completed`, async () => (await queue.getJobCounts()).completed === count);

async function plainJobs() {
  const queue = await open('plain');
  for (let n = 1; n <= 10; n++) await queue.add({ n });
  say('counts', await queue.getJobCounts(), await queue.count());
  const [order, heard] = [[], []];
  for (const name of ['completed', 'active', 'progress'])
    queue.on(`global:${name}`, (id, value) => id === '3' && heard.push([name, value]));
  queue.process(async (job) => {
    order.push(job.data.n);
    if (job.data.n === 3) await job.progress(40);
    return { twice: job.data.n * 2 };
  });
  await completed(queue, 10);
  await until('the events', async () => heard.length === 3);
  say('order', order, heard);
  const job = await queue.getJob(7);
  say(
    'job 7',
    await job.getState(),
    job.returnvalue,
    job.attemptsMade,
    (await queue.getCompleted()).map((each) => Number(each.id)).sort((a, b) => a - b),
  );
  say('finished', await (await queue.add({ n: 11 })).finished());
  say('workers', (await queue.getWorkers()).length);
}

async function priorities() {
  const queue = await open('ranked');
  for (const [name, priority] of [
    ['c1', 3],
    ['a1', 1],
    ['none', undefined],
    ['b1', 2],
    ['a2', 1],
    ['c2', 3],
    ['b2', 2],
  ])
    await queue.add(name, {}, { priority });
  await queue.add('front', {}, { lifo: true });
  say(
    'waiting',
    (await queue.getWaiting()).map((job) => job.name),
  );
  const order = [];
  queue.process('*', async (job) => {
    order.push(job.name);
  });
  await completed(queue, 8);
  say('order', order);
}

async function timing() {
  const queue = await open('later');
  const start = Date.now();
  for (const delay of [300, 100, 200]) await queue.add({ delay }, { delay });
  const promoted = await queue.add({ delay: 60000 }, { delay: 60000 });
  say(
    'delayed',
    await queue.getDelayedCount(),
    (await queue.getDelayed()).map((job) => job.data.delay),
  );
  await promoted.promote();
  const order = [];
  queue.process(async (job) => {
    order.push([job.data.delay, job.data.delay > 300 || Date.now() - start >= job.data.delay]);
  });
  await completed(queue, 4);
  say('order, none too early', order);
  const ticks = await open('ticks');
  let count = 0;
  ticks.process('tick', async () => {
    count += 1;
  });
  await ticks.add('tick', {}, { repeat: { every: 100, limit: 3 } });
  say(
    'repeatable',
    (await ticks.getRepeatableJobs()).map((job) => [job.name, job.every]),
  );
  await until('three ticks', async () => count === 3);
  await sleep(200);
  say('ticks', count);
}

async function retries() {
  const queue = await open('shaky');
  const starts = [];
  queue.process(async (job) => {
    starts.push(Date.now());
    if (job.attemptsMade < job.data.fails) throw new Error(`attempt ${job.attemptsMade}`);
    return 'fine';
  });
  const job = await queue.add({ fails: 2 }, { attempts: 3, backoff: { type: 'fixed', delay: 80 } });
  say(
    'retried',
    await job.finished(),
    (await queue.getJob(job.id)).stacktrace.map((text) => text.split('\n')[0]),
    starts[2] - starts[0] >= 160,
  );
  const lost = await queue.add({ fails: 1 }, { attempts: 1 });
  say('lost', await lost.finished().catch((error) => error.message), await lost.isFailed());
  await (await queue.getJob(lost.id)).retry();
  await completed(queue, 2);
  say('again', await lost.getState(), await queue.getJobCounts());
}

async function pausingAndLimits() {
  const queue = await open('stop', { limiter: { max: 2, duration: 200 } });
  await queue.pause();
  for (let n = 0; n < 6; n++) await queue.add({ n });
  const starts = [];
  queue.process(5, async () => {
    starts.push(Date.now());
  });
  await sleep(150);
  say('paused', starts.length, await queue.isPaused(), await queue.getJobCounts());
  const begun = Date.now(); // Not the first start: that one may be told of late.
  await queue.resume();
  await completed(queue, 6);
  say('limited', starts.length, starts[5] - begun >= 390);
  say('clean', (await queue.clean(0, 'completed')).length, await queue.getJobCounts());
}

// This file again, as a process that takes a job and never ends it.
async function doomed() {
  const queue = await open('fragile', { settings: { lockDuration: 700, stalledInterval: 300 } });
  queue.process(async () => {
    console.log('taken');
    await new Promise(() => {});
  });
}

async function stalled() {
  const queue = await open('fragile', { settings: { stalledInterval: 300 } });
  const job = await queue.add({ n: 1 });
  const child = spawn(process.execPath, [__filename, 'doomed'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => readline.createInterface({ input: child.stdout }).once('line', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  say('active', await job.getState());
  const found = [];
  queue.on('global:stalled', (id) => found.push(id));
  queue.process(async (each) => `saved ${each.data.n}`);
  say('recovered', await job.finished(), await until('the event', async () => found.length && found));
}

async function manyAtOnce() {
  const queue = await open('many');
  const times = new Map();
  queue.process(20, async (job) => {
    times.set(job.data.n, (times.get(job.data.n) ?? 0) + 1);
  });
  const jobs = await queue.addBulk(Array.from({ length: 500 }, (_, n) => ({ data: { n } })));
  await completed(queue, 500);
  say(
    'each once',
    jobs.length,
    times.size,
    [...times.values()].every((each) => each === 1),
  );
  await queue.obliterate({ force: true });
  say('obliterated', await queue.getJobCounts());
}

async function main() {
  if (process.argv[2] === 'doomed') return doomed();
  for (const step of [plainJobs, priorities, timing, retries, pausingAndLimits, stalled, manyAtOnce]) {
    await step();
    await Promise.all(opened.splice(0).map((queue) => queue.close()));
  }
  return process.exit(0);
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
