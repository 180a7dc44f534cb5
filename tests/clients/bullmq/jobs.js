// Adding, working, looking: the life of plain jobs.
'use strict';
const { UnrecoverableError } = require('bullmq');
const Redis = require('ioredis');
const { connection, say, queue, events, worker, until, settled, sleep } = require('./kit.js');

async function firstComeFirstServed() {
  const mail = queue('mail');
  const done = [];
  for (let n = 1; n <= 20; n++) await mail.add('send', { n });
  say('counts before', await mail.getJobCounts());
  const one = worker('mail', async (job) => {
    done.push(job.data.n);
    return { sent: job.data.n };
  });
  await settled(mail, 20);
  say('order', done);
  say('counts after', await mail.getJobCounts());
  const job = await mail.getJob('7');
  say(
    'job 7',
    await job.getState(),
    job.name,
    job.data,
    job.returnvalue,
    job.attemptsMade,
    job.finishedOn >= job.processedOn,
  );
  say(
    'ranges',
    (await mail.getCompleted()).map((each) => Number(each.id)).sort((a, b) => a - b),
    (await mail.getCompleted(0, 4)).length,
    (await mail.getJobs(['completed'], 0, 2, true)).length,
  );
  say(
    'workers',
    (await mail.getWorkers()).map((each) => each.name),
    await mail.getWorkersCount(),
  );
  await one.close();
  await until('the worker to leave', async () => (await mail.getWorkersCount()) === 0);
  say('missing', (await mail.getJob('99')) ?? null, await mail.getJobState('99'));
}

async function resultsByEvents() {
  const sums = queue('sums');
  const listener = await events('sums');
  worker(
    'sums',
    async (job) => {
      if (job.data.b === 0) throw new UnrecoverableError('nothing to add');
      return job.data.a + job.data.b;
    },
    { concurrency: 4 },
  );
  const results = [];
  for (const [a, b] of [
    [1, 2],
    [30, 12],
    [5, 0],
  ]) {
    const job = await sums.add('add', { a, b });
    results.push(await job.waitUntilFinished(listener, 10000).catch((error) => error.message));
  }
  say('results', results);
}

async function eventsOfALife() {
  const lives = queue('lives');
  const listener = await events('lives');
  const seen = [];
  for (const name of [
    'added',
    'waiting',
    'delayed',
    'active',
    'progress',
    'completed',
    'failed',
    'drained',
    'paused',
    'resumed',
    'removed',
    'retries-exhausted',
    'duplicated',
    'cleaned',
  ]) {
    listener.on(name, (event) =>
      seen.push([
        name,
        event.jobId ?? null,
        event.prev ?? null,
        event.returnvalue ?? event.failedReason ?? event.data ?? event.count ?? null,
      ]),
    );
  }
  await lives.pause();
  await lives.add('a', {}, { jobId: 'first' });
  await lives.add('a', {}, { jobId: 'first' });
  await lives.add('b', {}, { jobId: 'later', delay: 100, attempts: 2, backoff: { type: 'fixed', delay: 50 } });
  await lives.resume();
  worker('lives', async (job) => {
    if (job.name === 'b') throw new Error('never');
    await job.updateProgress(50);
    return 'fine';
  });
  await settled(lives, 2);
  await lives.remove('first');
  await until('the last event', async () => seen.some(([name]) => name === 'removed'));
  // Job by job: which of the two is first depends on the moment at which the delay ends.
  for (const job of [null, 'first', 'later']) {
    say(
      'events',
      seen.filter(([name, id]) => name !== 'drained' && id === job),
    );
  }
}

async function retries() {
  const shaky = queue('shaky');
  const starts = [];
  worker('shaky', async (job) => {
    starts.push(Date.now());
    if (job.attemptsMade < 2) throw new Error(`attempt ${job.attemptsMade}`);
    return 'at last';
  });
  const job = await shaky.add('try', {}, { attempts: 4, backoff: { type: 'exponential', delay: 60 } });
  await settled(shaky, 1);
  const now = await shaky.getJob(job.id);
  say(
    'retries',
    now.returnvalue,
    now.attemptsMade,
    now.stacktrace.map((text) => text.split('\n')[0]),
    starts[1] - starts[0] >= 60,
    starts[2] - starts[1] >= 120,
  );
  const lost = queue('lost');
  let broken = true;
  worker('lost', async () => {
    if (broken) throw new Error('down');
    return 'up';
  });
  const one = await lost.add('x', {}, { attempts: 2, backoff: 10 });
  await settled(lost, 1);
  const failed = await lost.getJob(one.id);
  say('failed', await failed.getState(), failed.failedReason, failed.attemptsMade);
  broken = false;
  await failed.retry();
  await until('the retry', async () => (await one.getState()) === 'completed');
  say('retried', (await lost.getJob(one.id)).returnvalue, await lost.getJobCounts('failed', 'completed'));
  broken = true;
  await lost.addBulk([1, 2, 3].map((n) => ({ name: 'y', data: { n } })));
  await until('three failures', async () => (await lost.getFailedCount()) === 3);
  broken = false;
  await lost.retryJobs({ count: 2 });
  await until('all retried', async () => (await lost.getCompletedCount()) === 4);
  say('retryJobs', await lost.getJobCounts('failed', 'completed'));
}

async function bulk() {
  const many = queue('many');
  const jobs = await many.addBulk(Array.from({ length: 500 }, (_, n) => ({ name: 'n', data: { n } })));
  say('bulk ids', jobs.length, jobs[0].id, jobs.at(-1).id);
  const seen = new Map();
  for (let n = 0; n < 2; n++) {
    worker(
      'many',
      async (job) => {
        seen.set(job.data.n, (seen.get(job.data.n) ?? 0) + 1);
      },
      { concurrency: 20 },
    );
  }
  await settled(many, 500);
  say(
    'each once',
    seen.size,
    [...seen.values()].every((times) => times === 1),
    await many.getJobCounts(),
  );
}

async function identities() {
  const ids = queue('ids');
  const first = await ids.add('x', { v: 1 }, { jobId: 'same' });
  const second = await ids.add('x', { v: 2 }, { jobId: 'same' });
  say('job id', first.id, second.id, (await ids.getJob('same')).data, await ids.getWaitingCount());
  await ids.add('d', { v: 1 }, { deduplication: { id: 'one', ttl: 60000 } });
  await ids.add('d', { v: 2 }, { deduplication: { id: 'one', ttl: 60000 } });
  say('deduplication', await ids.getWaitingCount(), (await ids.getDeduplicationJobId('one')) !== null);
  await ids.removeDeduplicationKey('one');
  await ids.add('d', { v: 3 }, { deduplication: { id: 'one', ttl: 60000 } });
  await ids.add(
    'e',
    { v: 1 },
    { delay: 60000, deduplication: { id: 'two', ttl: 60000, extend: true, replace: true } },
  );
  await ids.add(
    'e',
    { v: 2 },
    { delay: 60000, deduplication: { id: 'two', ttl: 60000, extend: true, replace: true } },
  );
  say(
    'replaced',
    await ids.getWaitingCount(),
    (await ids.getDelayed()).map((job) => job.data),
  );
  await ids.add(
    'u',
    { text: 'é 漢字 🎉 \r\n "quoted"', none: null, big: 9007199254740991, list: [] },
    { jobId: 'ключ' },
  );
  say('text', (await ids.getJob('ключ')).data);
}

async function keysOf(name) {
  const plain = new Redis(connection.url);
  const keys = await plain.keys(`bull:${name}:*`);
  plain.disconnect();
  return keys.sort();
}

async function housekeeping() {
  const house = queue('house', { defaultJobOptions: { removeOnComplete: { count: 3 }, removeOnFail: true } });
  worker(
    'house',
    async (job) => {
      await job.log(`did ${job.data.n}`);
      if (job.data.n === 5) throw new Error('odd');
    },
    { metrics: { maxDataPoints: 10 } },
  );
  for (let n = 1; n <= 8; n++) await house.add('x', { n });
  await until('eight done', async () => (await house.getMetrics('completed')).meta.count === 7);
  say(
    'kept',
    (await house.getCompleted()).map((job) => job.data.n),
    await house.getFailedCount(),
  );
  say('logs', await house.getJobLogs((await house.getCompleted(0, 0))[0].id));
  await house.pause();
  await sleep(50);
  await house.addBulk([1, 2, 3, 4].map((n) => ({ name: 'p', data: { n } })));
  say('paused', await house.isPaused(), await house.getJobCounts('wait', 'paused', 'active'));
  say('clean', (await house.clean(0, 2, 'completed')).length, await house.getCompletedCount());
  const [some] = await house.getJobs(['wait', 'paused']);
  await some.updateData({ n: 'new' });
  say('removed', await house.remove(some.id), await house.remove('none'));
  await house.drain();
  say('drained', await house.count());
  await house.trimEvents(0);
  await house.obliterate({ force: true });
  say('obliterated', await house.getJobCounts('wait', 'paused', 'completed'), await keysOf('house'));
}

module.exports = { firstComeFirstServed, resultsByEvents, eventsOfALife, retries, bulk, identities, housekeeping };
