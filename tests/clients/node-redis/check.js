// What a node-redis user does, with both protocols; run by ./run, which says how its output is used.
'use strict';
const assert = require('assert');
const readline = require('readline');
const { createClient } = require('redis');

const port = Number(process.env.RUNG_PORT);
const tierSize = 2 ** 32;
const lines = readline.createInterface({ input: process.stdin });
let RESP = 2;

const say = (...words) => console.log(`resp${RESP}`, ...words.map((word) => JSON.stringify(word)));

async function connect() {
  const socket = { port, host: '127.0.0.1', reconnectStrategy: () => 20 };
  // "unstable" is what the library calls the shape in which it hands on XREADGROUP's answer with RESP3.
  const client = createClient({ RESP, unstableResp3: true, socket });
  client.on('error', () => {});  // The restart; the library connects again.
  await client.connect();
  return client;
}

async function until(condition) {
  for (const deadline = Date.now() + 10000; !await condition(); await new Promise(setImmediate)) {
    assert(Date.now() < deadline, 'waited in vain');
  }
}

const untilBlocked = (client, count) =>
  until(async () => (await client.info('clients')).includes(`blocked_clients:${count}\r\n`));

async function values(client) {
  await client.set('plain', 'value', { expiration: { type: 'EX', value: 100 } });
  say('get', await client.get('plain'), await client.ttl('plain') > 0, await client.get('missing'));
  say('counter', await client.incrBy('counter', 5), await client.incrByFloat('float', 1.5));
  await client.hSet('hash', { one: 1, two: 2 });
  say('hash', await client.hGetAll('hash'), await client.hmGet('hash', ['two', 'three']));
  await client.zAdd('scores', [{ score: 1, value: 'low' }, { score: 2.5, value: 'half' }]);
  say('zset', await client.zRangeWithScores('scores', 0, -1), await client.zmScore('scores', ['low', 'none']),
    await client.zScore('scores', 'half'), await client.zRank('scores', 'half'));
  for (const words of [['LPUSH', 'plain', 'x'], ['NOSUCH', 'a'], ['GET'], ['INCR', 'plain']]) {
    say('error', words, await client.sendCommand(words).catch((error) => error.message));
  }
}

async function pipelines(client) {
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, number) => client.rPush('long', `${number}`)));
  say('pipeline', answers.every((length, at) => length === at + 1), await client.lLen('long'));
  const mixed = client.multi().set('plain', 'text').addCommand(['INCR', 'plain']).get('plain');
  say('pipeline with an error', await mixed.execAsPipeline().catch((error) => error.message),
    await client.get('plain'));
}

async function blocking(client, other) {
  const cases = {
    blpop: [() => client.blPop(['none', 'jobs'], 9), () => other.rPush('jobs', 'job')],
    bzpopmin: [() => client.bzPopMin('ranked', 9), () => other.zAdd('ranked', { score: 7, value: 'job' })],
    blmove: [() => client.blMove('from', 'to', 'LEFT', 'RIGHT', 9), () => other.rPush('from', 'job')],
    bzmpop: [() => client.bzmPop(9, 'many', 'MIN', { COUNT: 2 }),
      () => other.zAdd('many', [{ score: 1, value: 'a' }, { score: 2, value: 'b' }])],
  };
  for (const [name, [wait, feed]] of Object.entries(cases)) {
    const waiting = wait();
    await untilBlocked(other, 1);
    await feed();
    say(name, await waiting);
  }
  say('nothing in time', await client.blPop('none', 0.05), await client.bzPopMin('none', 0.05));
}

async function transactions(client, other) {
  await client.watch('watched');
  await other.set('watched', 'theirs');
  const lost = await client.multi().set('watched', 'mine').exec().catch((error) => error.constructor.name);
  say('watch conflict', lost, await client.get('watched'));
  await client.watch('watched');
  say('exec', await client.multi().set('watched', 'mine').get('watched').incr('number').exec());
}

async function subscriptions(client) {
  const listener = await connect();
  const events = [];
  await listener.subscribe('news', (...event) => events.push(event));
  await listener.pSubscribe('n*', (...event) => events.push(event));
  await listener.sSubscribe('shard', (...event) => events.push(event));
  say('publish', await client.publish('news', 'hello'), await client.sPublish('shard', 'hi'),
    await client.pubSubNumSub(['news', 'none']), await client.pubSubNumPat());
  await until(() => events.length === 3);
  say('events', events);
  if (RESP === 3) await asksWhileItListens(client, listener, events);
  await listener.unsubscribe('news');
  await listener.pUnsubscribe();
  await listener.sUnsubscribe();
  say('usable again', await listener.set('free', '1'));
  await listener.close();
}

// With RESP3 one connection listens, asks and waits.
async function asksWhileItListens(client, listener, events) {
  say('asks while it listens', await listener.set('a', 1), await listener.get('a'));
  await listener.xGroupCreate('both', 'group', '0', { MKSTREAM: true });
  await listener.xAdd('both', '1-0', { n: '1' });
  say('streams', await listener.xReadGroup('group', 'worker', { key: 'both', id: '>' }, { BLOCK: 10 }),
    await listener.xAck('both', 'group', '1-0'), await listener.publish('news', 'own'));
  // No PUBLISH among these: redis-server 7.0 puts the own message in the middle of the answer to EXEC.
  say('transaction', await listener.multi().incr('a').get('a').exec());
  const waiting = listener.blPop('later', 9);
  await untilBlocked(client, 1);
  await client.publish('news', 'waiting');
  await client.rPush('later', 'job');
  say('waits', await waiting);
  await until(() => events.length === 3 + 2 * 2);
  say('events', events.slice(3));
}

async function streams(client) {
  await client.xGroupCreate('stream', 'group', '0', { MKSTREAM: true });
  for (const n of [1, 2, 3]) say('xadd', await client.xAdd('stream', `${n}-0`, { n: `${n}` }));
  const read = (options) => client.xReadGroup('group', 'worker', { key: 'stream', id: '>' }, options);
  say('xreadgroup', await read({ COUNT: 2 }));
  say('xack', await client.xAck('stream', 'group', '1-0'), await client.xPending('stream', 'group'));
  say('rest', await read({ BLOCK: 10 }), await read({ BLOCK: 10 }));
}

async function scans(client) {
  await client.mSet(Array.from({ length: 500 }, (_, number) => [`scan:${number}`, `${number}`]));
  const found = new Set();
  for await (const keys of client.scanIterator({ MATCH: 'scan:*', COUNT: 50 })) keys.forEach((key) => found.add(key));
  say('scan', found.size);
  await client.zAdd('wide', Array.from({ length: 300 }, (_, number) => ({ score: number, value: `m${number}` })));
  const members = new Map();
  for await (const page of client.zScanIterator('wide')) {
    page.forEach(({ value, score }) => members.set(value, score));
  }
  say('zscan', members.size, [...members.values()].reduce((sum, score) => sum + score));
}

// Three tiers, first come first served inside each: the pattern this broker is made for.
async function rankedQueue(client) {
  for (const [tier, value] of [[2, 'c1'], [0, 'a1'], [1, 'b1'], [0, 'a2'], [2, 'c2'], [1, 'b2']]) {
    await client.zAdd('prioritized', { score: tier * tierSize + await client.incr('prioritized:counter'), value });
  }
  const taken = [];
  while (taken.length < 6) taken.push(await client.bzPopMin('prioritized', 1));
  say('queue', taken);
}

async function reconnection(client, other) {
  const listener = await connect();
  const heard = new Promise((resolve) => { listener.subscribe('news', (...event) => resolve(event)); });
  await until(async () => (await client.pubSubNumSub(['news'])).news === 1);
  console.log('!restart');
  await new Promise((resolve) => lines.once('line', resolve));
  await until(() => client.isReady && other.isReady && listener.isReady);
  say('after restart', await client.get('counter'), await other.set('after', '1'));
  await until(async () => (await client.pubSubNumSub(['news'])).news === 1);
  await other.publish('news', 'again');
  say('subscribed again', await heard);
  listener.destroy();
}

async function main() {
  for (RESP of [2, 3]) {
    const [client, other] = [await connect(), await connect()];
    await client.flushAll();
    await values(client);
    await pipelines(client);
    await blocking(client, other);
    await transactions(client, other);
    await subscriptions(client);
    await streams(client);
    await scans(client);
    await rankedQueue(client);
    await reconnection(client, other);
    await client.close();
    await other.close();
  }
  lines.close();
}

main().catch((error) => { console.log(error.stack); process.exit(1); });
