// Rate limits and limits of concurrency.
'use strict';
const { RateLimitError } = require('bullmq');
const { say, sleep, queue, worker, until, settled } = require('./kit.js');

async function rateLimit() {
  const slow = queue('slow');
  const starts = [];
  worker(
    'slow',
    async () => {
      starts.push(Date.now());
    },
    { limiter: { max: 2, duration: 200 }, concurrency: 5 },
  );
  const begun = Date.now(); // Not the first start: that one may be told of late.
  await slow.addBulk(Array.from({ length: 6 }, (_, n) => ({ name: `n${n}`, data: {} })));
  await settled(slow, 6);
  say('two in 200 ms', starts.length, starts[5] - begun >= 390, starts[2] - begun >= 195);
}

async function manualLimit() {
  const asked = queue('asked');
  let refused = 0;
  const one = worker(
    'asked',
    async () => {
      if (refused++ === 0) {
        await one.rateLimit(150);
        throw new RateLimitError();
      }
      return 'served';
    },
    { limiter: { max: 100, duration: 1000 } },
  );
  const started = Date.now();
  const job = await asked.add('x', {});
  await settled(asked, 1);
  say('limited by hand', (await asked.getJob(job.id)).returnvalue, refused, Date.now() - started >= 150);
  await asked.rateLimit(5000);
  say('ttl', (await asked.getRateLimitTtl()) > 4000, await asked.removeRateLimitKey(), await asked.getRateLimitTtl());
}

async function concurrency() {
  const wide = queue('wide');
  await wide.setGlobalConcurrency(2);
  let [now, most] = [0, 0];
  for (let n = 0; n < 3; n++) {
    worker(
      'wide',
      async () => {
        most = Math.max(most, ++now);
        await sleep(20);
        now -= 1;
      },
      { concurrency: 5 },
    );
  }
  await wide.addBulk(Array.from({ length: 12 }, (_, n) => ({ name: `n${n}`, data: {} })));
  await settled(wide, 12);
  say('global concurrency', await wide.getGlobalConcurrency(), most);
  await wide.removeGlobalConcurrency();
  await wide.setGlobalRateLimit(5, 1000);
  say(
    'global limits',
    await wide.getGlobalConcurrency(),
    await wide.getGlobalRateLimit(),
    await wide.removeGlobalRateLimit(),
  );
}

async function byHand() {
  const hand = queue('hand');
  await hand.add('a', {});
  await hand.add('b', {});
  const one = worker('hand', null, { autorun: false });
  const first = await one.getNextJob('token');
  say('by hand', first.name, await first.getState(), await hand.getActiveCount());
  const [data, id] = await first.moveToCompleted('done', 'token', true);
  say('and the next', data.name, id, await hand.getJobCounts('active', 'completed'));
  const second = await hand.getJob(id);
  say('wrong token', await second.moveToFailed(new Error('no'), 'other', false).catch((error) => error.message));
  await second.moveToFailed(new Error('yes'), 'token', false);
  say(
    'no more',
    (await one.getNextJob('token', { block: false })) ?? null,
    await hand.getJobCounts('active', 'completed', 'failed'),
  );
  await until('nothing active', async () => (await hand.getActiveCount()) === 0);
}

module.exports = { rateLimit, manualLimit, concurrency, byHand };
