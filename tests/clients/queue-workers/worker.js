// A worker in Node.js: worker.js QUEUE. Needs the package redis and nothing else.
//
// Takes jobs until one says "stop", prints the body of each that it has done, and fails those that
// begin with "bad".
'use strict';

const { createClient } = require('redis');

async function main(queue) {
  const broker = createClient({ url: `redis://127.0.0.1:${process.env.RUNG_PORT || 6379}` });
  await broker.connect();
  for (let body = ''; body !== 'stop';) {
    const taken = await broker.sendCommand(
      ['Q.TAKE', queue, 'BLOCK', '5000', 'LEASE', '30000', 'WORKER', `node-${process.pid}`]);
    if (taken === null) continue;
    const receipt = String(taken[0][1]);
    body = String(taken[0][2]);
    if (body.startsWith('bad')) {
      await broker.sendCommand(['Q.NACK', queue, receipt, 'ERR', 'cannot do that']);
    } else {
      console.log(body);
      await broker.sendCommand(['Q.ACK', queue, receipt]);
    }
  }
  await broker.quit();
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exit(1);
});
