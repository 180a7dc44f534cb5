// Priorities: the order of levels, and first come first served inside each.
'use strict';
const { say, queue, worker, settled } = require('./kit.js');

async function levels() {
  const ranked = queue('ranked');
  const added = [
    [5, 'e1'],
    [1, 'a1'],
    [3, 'c1'],
    [undefined, 'plain1'],
    [1, 'a2'],
    [2097151, 'last'],
    [3, 'c2'],
    [0, 'plain2'],
    [5, 'e2'],
    [1, 'a3'],
  ];
  for (const [priority, name] of added) await ranked.add(name, {}, { priority });
  say(
    'waiting',
    (await ranked.getPrioritized()).map((job) => job.name),
    (await ranked.getWaiting()).map((job) => job.name),
  );
  say(
    'per priority',
    await ranked.getCountsPerPriority([0, 1, 2, 3, 5]),
    await ranked.getJobCounts('prioritized', 'waiting'),
  );
  say('too large', await ranked.add('x', {}, { priority: 2097152 }).catch((error) => error.message));
  const order = [];
  worker('ranked', async (job) => {
    order.push(job.name);
  });
  await settled(ranked, added.length);
  say('order', order);
}

async function manyLevels() {
  const mixed = queue('mixed');
  let state = 12345;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state;
  };
  const jobs = Array.from({ length: 300 }, (_, n) => ({ name: 'x', data: { n, priority: 1 + (random() % 20) } }));
  await mixed.addBulk(jobs.map((job) => ({ ...job, opts: { priority: job.data.priority } })));
  const order = [];
  worker('mixed', async (job) => {
    order.push([job.data.priority, job.data.n]);
  });
  await settled(mixed, jobs.length);
  const sorted = [...order].sort(([p, n], [q, m]) => p - q || n - m);
  say(
    '300 jobs of 20 levels in order',
    JSON.stringify(order) === JSON.stringify(sorted),
    order.slice(0, 5),
    order.slice(-5),
  );
}

async function changes() {
  const moved = queue('moved');
  const jobs = {};
  for (const [name, priority] of [
    ['a', 4],
    ['b', 4],
    ['c', 4],
    ['d', 0],
    ['e', 9],
  ])
    jobs[name] = await moved.add(name, {}, { priority });
  await jobs.c.changePriority({ priority: 1 });
  await jobs.d.changePriority({ priority: 4 });
  await jobs.e.changePriority({ priority: 4, lifo: true });
  say(
    'changed',
    (await moved.getPrioritized()).map((job) => [job.name, job.priority]),
  );
  await jobs.b.changePriority({ priority: 0 });
  await moved.add('front', {}, { lifo: true });
  say(
    'front',
    (await moved.getWaiting()).map((job) => job.name),
  );
  const order = [];
  worker('moved', async (job) => {
    order.push(job.name);
  });
  await settled(moved, 6);
  say('order', order);
}

async function retriesKeepTheirLevel() {
  const again = queue('again');
  for (const [name, priority] of [
    ['x1', 2],
    ['x2', 2],
    ['x3', 2],
    ['y1', 3],
  ])
    await again.add(name, {}, { priority, attempts: 2 });
  const order = [];
  worker('again', async (job) => {
    order.push(job.name);
    if (job.name === 'x1' && job.attemptsMade === 0) throw new Error('once');
  });
  await settled(again, 4);
  say('a retry goes behind its level', order);
}

module.exports = { levels, manyLevels, changes, retriesKeepTheirLevel };
