// Flows: parents that wait for their children.
'use strict';
const { say, queue, worker, flows, until } = require('./kit.js');

async function tree() {
  const build = queue('build');
  const steps = queue('steps');
  const order = [];
  worker('steps', async (job) => {
    order.push(job.name);
    return job.data.size ?? job.name.length;
  });
  worker('build', async (job) => {
    order.push(job.name);
    return Object.values(await job.getChildrenValues()).sort();
  });
  const flow = await flows().add({
    name: 'release',
    queueName: 'build',
    data: {},
    children: [
      { name: 'compile', queueName: 'steps', data: { size: 7 } },
      {
        name: 'package',
        queueName: 'build',
        data: {},
        children: [
          { name: 'docs', queueName: 'steps' },
          { name: 'icons', queueName: 'steps' },
        ],
      },
    ],
  });
  await until('the release', async () => (await flow.job.getState()) === 'completed');
  say('flow', [...order].sort(), order.at(-1), order.indexOf('package') > order.indexOf('icons'));
  const root = await build.getJob(flow.job.id);
  say('values', root.returnvalue, await root.getDependenciesCount());
  const seen = await flows().getFlow({ queueName: 'build', id: flow.job.id });
  const names = (node) => [node.job.name, (node.children ?? []).map(names).sort()];
  say('tree', names(seen), await steps.getJobCounts('completed', 'waiting'));
}

async function waitingParents() {
  const parents = queue('parents');
  const children = queue('children');
  const flow = await flows().add({
    name: 'p',
    queueName: 'parents',
    children: [1, 2, 3].map((n) => ({
      name: `c${n}`,
      queueName: 'children',
      data: { n },
      opts: { priority: 4 - n },
    })),
  });
  say(
    'waiting',
    await flow.job.getState(),
    await parents.getWaitingChildrenCount(),
    await flow.job.getDependenciesCount(),
    (await children.getPrioritized()).map((job) => job.name),
  );
  await (await children.getPrioritized())[0].remove();
  const order = [];
  worker('children', async (job) => {
    order.push(job.name);
    return job.data.n;
  });
  worker('parents', async (job) => Object.values(await job.getChildrenValues()).sort());
  await until('the parent', async () => (await flow.job.getState()) === 'completed');
  say('without the removed', order, (await parents.getJob(flow.job.id)).returnvalue);
}

async function failures() {
  const parents = queue('parents2');
  worker('children2', async (job) => {
    if (job.data.fails) throw new Error('child failed');
    return job.data.n;
  });
  worker('parents2', async (job) => [
    Object.values(await job.getChildrenValues()).sort(),
    Object.values(await job.getIgnoredChildrenFailures()),
  ]);
  const producer = flows();
  const add = (name, opts) =>
    producer.add({
      name,
      queueName: 'parents2',
      children: [
        { name: 'good', queueName: 'children2', data: { n: 1 } },
        { name: 'bad', queueName: 'children2', data: { fails: true }, opts },
      ],
    });
  const fails = await add('fails with its child', { failParentOnFailure: true });
  await until('a failed parent', async () => (await fails.job.getState()) === 'failed');
  say('failed parent', (await parents.getJob(fails.job.id)).failedReason.replace(/[0-9a-f-]{36}/, 'ID'));
  const ignores = await add('ignores', { ignoreDependencyOnFailure: true });
  await until('a parent that ignores', async () => (await ignores.job.getState()) === 'completed');
  say('ignored', (await parents.getJob(ignores.job.id)).returnvalue);
  const goes = await add('goes on', { continueParentOnFailure: true });
  await until('a parent that goes on', async () => (await goes.job.getState()) === 'completed');
  say('went on', (await parents.getJob(goes.job.id)).returnvalue.at(-1));
}

async function bulkOfFlows() {
  const roots = queue('roots');
  worker('roots', async (job) => Object.keys(await job.getChildrenValues()).length, { concurrency: 5 });
  const trees = await flows().addBulk(
    Array.from({ length: 20 }, (_, n) => ({
      name: `root ${n}`,
      queueName: 'roots',
      children: Array.from({ length: n % 4 }, (__, m) => ({ name: `leaf ${m}`, queueName: 'roots' })),
    })),
  );
  await until('all flows', async () => (await roots.getCompletedCount()) === 20 + 30);
  const results = await Promise.all(trees.map(async (each) => (await roots.getJob(each.job.id)).returnvalue));
  say('bulk of flows', results);
}

module.exports = { tree, waitingParents, failures, bulkOfFlows };
