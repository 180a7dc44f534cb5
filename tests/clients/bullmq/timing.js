// Delays, schedulers, pausing.
'use strict';
const { DelayedError } = require('bullmq');
const { say, sleep, queue, worker, until, settled } = require('./kit.js');

async function delays() {
  const later = queue('later');
  const added = Date.now();
  for (const delay of [300, 100, 200]) await later.add(`after ${delay}`, {}, { delay });
  await later.add('at once', {});
  say(
    'delayed',
    (await later.getDelayed()).map((job) => job.name),
    await later.getJobCounts('delayed', 'waiting'),
  );
  const order = [];
  worker('later', async (job) => {
    order.push([job.name, Date.now() - added >= (job.opts.delay ?? 0)]);
  });
  await settled(later, 4);
  say('order, none too early', order);
}

async function promotion() {
  const soon = queue('soon');
  const jobs = [];
  for (let n = 0; n < 4; n++)
    jobs.push(await soon.add(`n${n}`, {}, { delay: 60000, priority: n === 2 ? 1 : undefined }));
  await jobs[3].promote();
  await jobs[1].changeDelay(50);
  say('promoted', await soon.getJobCounts('delayed', 'waiting', 'prioritized'));
  const order = [];
  worker('soon', async (job) => {
    order.push(job.name);
  });
  await settled(soon, 2);
  await soon.promoteJobs();
  await settled(soon, 4);
  say('order', order.slice(0, 2), order.slice(2).sort());
}

async function putBack() {
  const back = queue('back');
  let times = 0;
  worker('back', async (job, token) => {
    if (++times === 1) {
      await job.moveToDelayed(Date.now() + 80, token);
      throw new DelayedError();
    }
    return times;
  });
  const started = Date.now();
  const job = await back.add('x', {});
  await settled(back, 1);
  const now = await back.getJob(job.id);
  say('put back', now.returnvalue, now.attemptsMade, Date.now() - started >= 80);
}

async function schedulers() {
  const ticks = queue('ticks');
  await ticks.upsertJobScheduler('often', { every: 100, limit: 3 }, { name: 'tick', data: { from: 'template' } });
  await ticks.upsertJobScheduler('nightly', { pattern: '0 3 * * *', tz: 'UTC' }, { name: 'night', data: {} });
  const runs = [];
  worker('ticks', async (job) => {
    runs.push([job.name, job.data, job.repeatJobKey]);
  });
  say(
    'schedulers',
    (await ticks.getJobSchedulers())
      .map((each) => [each.key, each.every ?? null, each.pattern ?? null, each.next > Date.now() - 1000])
      .sort(),
  );
  await until('three ticks', async () => runs.length === 3);
  await sleep(250);
  say('runs', runs);
  const night = (await ticks.getDelayed())[0];
  say(
    'next',
    night.name,
    new Date(night.timestamp + night.delay).toISOString().slice(11),
    await ticks.getJobSchedulersCount(),
  );
  await ticks.upsertJobScheduler('nightly', { pattern: '30 4 * * *', tz: 'UTC' }, { name: 'night', data: {} });
  const moved = (await ticks.getDelayed())[0];
  say('moved', new Date(moved.timestamp + moved.delay).toISOString().slice(11), await ticks.getDelayedCount());
  say(
    'removed',
    await ticks.removeJobScheduler('nightly'),
    await ticks.removeJobScheduler('nightly'),
    await ticks.getDelayedCount(),
  );
}

async function pausing() {
  const stop = queue('stop');
  const done = [];
  const one = worker('stop', async (job) => {
    done.push(job.name);
  });
  await stop.add('before', {});
  await settled(stop, 1);
  await stop.pause();
  await stop.add('during', {});
  await stop.add('important', {}, { priority: 1 });
  await sleep(150);
  say(
    'paused',
    done,
    await stop.isPaused(),
    await stop.getJobCounts('paused', 'waiting', 'prioritized', 'completed'),
  );
  await stop.resume();
  await settled(stop, 3);
  say('resumed', done, await stop.isPaused());
  await one.pause();
  await stop.add('worker paused', {});
  await sleep(100);
  say('worker paused', one.isPaused(), await stop.getWaitingCount());
  one.resume();
  await settled(stop, 4);
  say('worker resumed', done.at(-1));
}

module.exports = { delays, promotion, putBack, schedulers, pausing };
