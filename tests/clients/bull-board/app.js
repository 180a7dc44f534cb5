// A board over three queues, asked as its page asks; run by ./run, which says how its output is used.
// `node app.js serve PORT` leaves the board open for a browser.
'use strict';
const express = require('express');
const { createBullBoard } = require('@bull-board/api');
const { BullMQAdapter } = require('@bull-board/api/bullMQAdapter');
const { ExpressAdapter } = require('@bull-board/express');
const { FlowProducer, Queue, Worker } = require('bullmq');

const connection = { host: '127.0.0.1', port: Number(process.env.RUNG_PORT), maxRetriesPerRequest: null };
const say = (...words) => console.log(...words.map((word) => JSON.stringify(word)));
const queues = Object.fromEntries(
  ['mail', 'images', 'reports'].map((name) => [name, new Queue(name, { connection })]),
);

async function until(what, test) {
  for (
    const deadline = Date.now() + 15000;
    !(await test());
    await new Promise((resolve) => setTimeout(resolve, 10))
  ) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
  }
}

async function populate() {
  for (let n = 1; n <= 5; n++) await queues.mail.add('send', { to: `user ${n}` }, { jobId: `mail-${n}` });
  await queues.mail.add('refused', { to: 'nobody' }, { jobId: 'refused', attempts: 2, backoff: 10 });
  const worker = new Worker(
    'mail',
    async (job) => {
      await job.log(`sending to ${job.data.to}`);
      await job.updateProgress(50);
      if (job.name === 'refused') throw new Error('no such mailbox');
      return 'sent';
    },
    { connection, metrics: { maxDataPoints: 10 } },
  );
  await until('the mails', async () => {
    const counts = await queues.mail.getJobCounts('completed', 'failed');
    return counts.completed === 5 && counts.failed === 1;
  });
  for (const priority of [3, 1, 2])
    await queues.images.add('scale', { priority }, { jobId: `image-${priority}`, priority });
  await queues.images.add('later', {}, { jobId: 'later', delay: 3600000 });
  await queues.images.add('plain', {}, { jobId: 'plain' });
  await queues.images.upsertJobScheduler('nightly', { pattern: '0 3 * * *', tz: 'UTC' }, { name: 'night', data: {} });
  const flow = new FlowProducer({ connection });
  await flow.add({
    name: 'yearly',
    queueName: 'reports',
    opts: { jobId: 'yearly' },
    children: [{ name: 'quarter', queueName: 'reports', opts: { jobId: 'q1' } }],
  });
  return { worker, flow };
}

function listen(port) {
  const serverAdapter = new ExpressAdapter();
  createBullBoard({ queues: Object.values(queues).map((queue) => new BullMQAdapter(queue)), serverAdapter });
  const app = express();
  app.use('/', serverAdapter.getRouter());
  return new Promise((resolve) => {
    const server = app.listen(port, '127.0.0.1', () => resolve(server));
  });
}

const job = (one) => [
  one.id,
  one.name,
  one.data,
  one.progress,
  one.attempts,
  one.failedReason ?? null,
  one.returnValue ?? null,
];

async function ask(port) {
  const call = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return [answer.status, text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text];
  };
  const listing = async (queue, status) => {
    const [code, found] = await call('GET', `/api/queues?activeQueue=${queue}&status=${status}&page=1`);
    const one = found.queues.find((each) => each.name === queue);
    return [code, one.counts, one.jobs.map(job).sort()];
  };
  const [code, page] = await call('GET', '/');
  say('page', code, page.includes('<div id="root">'));
  const [statsCode, stats] = await call('GET', '/api/redis/stats');
  say('stats', statsCode, Object.keys(stats).sort());
  for (const [queue, status] of [
    ['mail', 'completed'],
    ['mail', 'failed'],
    ['images', 'prioritized'],
    ['images', 'delayed'],
    ['images', 'latest'],
    ['reports', 'waiting-children'],
  ])
    say(queue, status, await listing(queue, status));
  say('logs', await call('GET', '/api/queues/mail/mail-2/logs'));
  const [jobCode, found] = await call('GET', '/api/queues/mail/refused');
  say('job', jobCode, job(found.job), found.status);
  say('no job', await call('GET', '/api/queues/mail/none'), (await call('GET', '/api/queues/none/none'))[0]);
  const [flowCode, flow] = await call('GET', '/api/queues/reports/yearly/flow');
  say('flow', flowCode, JSON.stringify(flow).includes('quarter'));
  const [, schedulers] = await call('GET', '/api/job-schedulers');
  say('schedulers', JSON.stringify(schedulers).includes('nightly'));
  const [metricsCode, metrics] = await call('GET', '/api/queues/mail/metrics');
  say('metrics', metricsCode, Object.keys(metrics).sort());
  const [workersCode, workers] = await call('GET', '/api/queues/mail/workers');
  say('workers', workersCode, Object.keys(workers).sort());
  say('promoted', await call('PUT', '/api/queues/images/later/promote'), (await listing('images', 'waiting'))[1]);
  say('priority', await call('PATCH', '/api/queues/images/image-3/priority', { priority: 1 }));
  say(
    'order',
    (await queues.images.getPrioritized()).map((each) => each.id),
  );
  say('data', await call('PATCH', '/api/queues/images/plain/update-data', { jobData: { fresh: true } }));
  say(
    'added',
    (await call('POST', '/api/queues/images/add', { name: 'extra', data: { by: 'board' }, options: {} }))[0],
  );
  say('removed', await call('PUT', '/api/queues/images/plain/clean'));
  say('pause', await call('PUT', '/api/queues/images/pause'), await queues.images.isPaused());
  say('resume', await call('PUT', '/api/queues/images/resume'), await queues.images.isPaused());
  say('clean', await call('PUT', '/api/queues/mail/clean/completed'), (await listing('mail', 'completed'))[1]);
  say('retry', await call('PUT', '/api/queues/mail/refused/retry'));
  say('empty', await call('PUT', '/api/queues/images/empty'), (await listing('images', 'waiting'))[1]);
  await queues.images.pause();
  say('obliterate', await call('PUT', '/api/queues/images/obliterate'), await queues.images.count());
}

async function main() {
  const { worker, flow } = await populate();
  if (process.argv[2] === 'serve') return listen(Number(process.argv[3]));
  const server = await listen(0);
  await ask(server.address().port);
  server.close();
  await Promise.all([worker, flow, ...Object.values(queues)].map((one) => one.close()));
  return process.exit(0);
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
