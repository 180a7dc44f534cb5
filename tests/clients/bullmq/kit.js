// What the parts of the BullMQ application share: connections, queues, workers that are closed at the end.
'use strict';
const { FlowProducer, Queue, QueueEvents, Worker } = require('bullmq');

// As README.md shows it: the URL alone says which server.
const connection = { url: `redis://127.0.0.1:${process.env.RUNG_PORT}`, maxRetriesPerRequest: null };
const opened = [];

const say = (...words) => console.log(...words.map((word) => JSON.stringify(word)));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function keep(one) {
  one.on('error', () => {});
  opened.push(one);
  return one;
}

const queue = (name, options = {}) => keep(new Queue(name, { connection, ...options }));
const events = async (name) => {
  const one = keep(new QueueEvents(name, { connection, lastEventId: '0' }));
  await one.waitUntilReady();
  return one;
};
const worker = (name, work, options = {}) => keep(new Worker(name, work, { connection, drainDelay: 1, ...options }));
const flows = () => keep(new FlowProducer({ connection }));

async function until(what, test) {
  for (const deadline = Date.now() + 15000; ;) {
    const found = await test();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await sleep(10);
  }
}

const settled = (one, count) =>
  until(`${one.name}: ${count} settled`, async () => {
    const counts = await one.getJobCounts('completed', 'failed');
    return counts.completed + counts.failed === count;
  });

async function close() {
  await Promise.all(opened.splice(0).map((one) => one.close()));
}

module.exports = { connection, say, sleep, queue, events, worker, flows, until, settled, close };
