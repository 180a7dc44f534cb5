// The load of ./bench: four steps, each begun by a line and answered with the seconds it took.
'use strict';
const readline = require('readline');
const { queue, worker, close } = require('./kit.js');

const jobs = Number(process.argv[2]);
const inFlight = 20;

async function add(target, options) {
  let left = jobs;
  const one = async () => {
    while (left-- > 0) await target.add('job', { user: left, text: 'a small payload' }, options(left));
  };
  await Promise.all(Array.from({ length: inFlight }, one));
}

function work(target) {
  let left = jobs;
  return new Promise((resolve) => {
    worker(target.name, async () => 'done', { concurrency: inFlight }).on('completed', () => --left === 0 && resolve());
  });
}

async function main() {
  const plain = queue('plain', { defaultJobOptions: { removeOnComplete: 1000 } });
  const ranked = queue('ranked', { defaultJobOptions: { removeOnComplete: 1000 } });
  await Promise.all([plain.waitUntilReady(), ranked.waitUntilReady()]);
  const steps = [
    () => add(plain, () => undefined),
    () => work(plain),
    () => add(ranked, (n) => ({ priority: 1 + (n % 10) })),
    () => work(ranked),
  ];
  for await (const _ of readline.createInterface({ input: process.stdin })) {
    const started = process.hrtime.bigint();
    await steps.shift()();
    console.log(Number(process.hrtime.bigint() - started) / 1e9);
    if (steps.length === 0) break;
  }
  await close();
  process.exit(0);
}

main();
