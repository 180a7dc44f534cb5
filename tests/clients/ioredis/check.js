// What an ioredis user does, with RESP2 and with RESP3 in both of the shapes that the library hands on;
// run by ./run, which says how its output is used.
'use strict';
const assert = require('assert');
const readline = require('readline');
const Redis = require('ioredis');

const port = Number(process.env.RUNG_PORT);
const tierSize = 2 ** 32;
const lines = readline.createInterface({ input: process.stdin });
let speech = {};
const say = (...words) => console.log(JSON.stringify(speech), ...words.map((word) => JSON.stringify(word)));

function connect(options = {}) {
  // However long the restart takes: never give up.
  const client = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null, ...speech, ...options });
  client.on('error', () => {});  // The restart; the library connects again.
  return client;
}

async function untilBlocked(client, count) {
  for (const deadline = Date.now() + 10000; ;) {
    if ((await client.info('clients')).includes(`blocked_clients:${count}\r\n`)) return;
    assert(Date.now() < deadline, 'waited in vain');
  }
}

async function values(client) {
  await client.set('plain', 'value', 'EX', 100);
  say('get', await client.get('plain'), await client.ttl('plain') > 0, await client.get('missing'));
  say('counter', await client.incrby('counter', 5), await client.incrbyfloat('float', 1.5));
  await client.hset('hash', { one: 1, two: 2 });
  say('hash', await client.hgetall('hash'), await client.hmget('hash', 'two', 'three'));
  await client.zadd('scores', 1, 'low', 2.5, 'half', 'inf', 'top');
  say('zset', await client.zrange('scores', 0, -1, 'WITHSCORES'), await client.zmscore('scores', 'low', 'none'));
  const blob = Buffer.alloc(1 << 20, '\0\r\n$');
  await client.set('blob', blob);
  say('binary', blob.equals(await client.getBuffer('blob')));
  for (const words of [['lpush', 'plain', 'x'], ['nosuch', 'a'], ['get'], ['incr', 'plain']]) {
    say('error', words, await client.call(...words).catch((error) => error.message));
  }
}

async function pipelines(client) {
  const pipe = client.pipeline();
  for (let number = 0; number < 1000; number++) pipe.rpush('long', number);
  const answers = await pipe.exec();
  say('pipeline', answers.length, answers.every(([error, length], at) => !error && length === at + 1));
  const mixed = await client.pipeline().set('plain', 'text').incr('plain').get('plain').exec();
  say('pipeline with an error', mixed.map(([error, value]) => (error ? error.message : value)));
  const automatic = connect({ enableAutoPipelining: true });
  say('auto pipeline', (await Promise.all(Array.from({ length: 1000 }, () => automatic.incr('auto')))).at(-1));
  automatic.disconnect();
}

async function blocking(client, other) {
  const cases = {
    blpop: [() => client.blpop('none', 'jobs', 9), () => other.rpush('jobs', 'job')],
    bzpopmin: [() => client.bzpopmin('ranked', 9), () => other.zadd('ranked', 7, 'job')],
    blmove: [() => client.blmove('from', 'to', 'LEFT', 'RIGHT', 9), () => other.rpush('from', 'job')],
    bzmpop: [() => client.call('bzmpop', 9, 1, 'many', 'MIN', 'COUNT', 2), () => other.zadd('many', 1, 'a', 2, 'b')],
  };
  for (const [name, [wait, feed]] of Object.entries(cases)) {
    const waiting = wait();
    await untilBlocked(other, 1);
    await feed();
    say(name, await waiting);
  }
  say('nothing in time', await client.blpop('none', 0.05), await client.bzpopmin('none', 0.05));
}

async function transactions(client, other) {
  await client.watch('watched');
  await other.set('watched', 'theirs');
  say('watch conflict', await client.multi().set('watched', 'mine').exec(), await client.get('watched'));
  await client.watch('watched');
  const answers = await client.multi().set('watched', 'mine').get('watched').lpush('watched', 'x').exec();
  say('exec', answers.map(([error, value]) => (error ? error.message : value)));
  await client.multi({ pipeline: false });
  say('queued', await client.set('a', 1), await client.get('a'), await client.exec());
}

async function subscriptions(client) {
  const listener = connect();
  const events = [];
  const arrived = new Promise((resolve) => {
    listener.on('message', (...event) => events.push(event));
    listener.on('pmessage', (...event) => { events.push(event); resolve(); });
  });
  say('subscribe', await listener.subscribe('news', 'more'), await listener.psubscribe('n*'));
  say('publish', await client.publish('news', 'hello'), await client.pubsub('NUMSUB', 'news', 'none'));
  await arrived;
  say('events', events);
  say('unsubscribe', await listener.unsubscribe('news', 'more'), await listener.punsubscribe('n*'));
  say('usable again', await listener.set('free', 1));
  listener.disconnect();
}

async function streams(client) {
  await client.xgroup('CREATE', 'stream', 'group', 0, 'MKSTREAM');
  for (const n of [1, 2, 3]) say('xadd', await client.xadd('stream', `${n}-0`, 'n', n));
  const read = (...more) => client.xreadgroup('GROUP', 'group', 'worker', ...more, 'STREAMS', 'stream', '>');
  say('xreadgroup', await read('COUNT', 2));
  say('xack', await client.xack('stream', 'group', '1-0'), await client.xpending('stream', 'group'));
  say('rest', await read('BLOCK', 10), await read('BLOCK', 10));
}

async function scans(client) {
  const pairs = new Map(Array.from({ length: 500 }, (_, number) => [`scan:${number}`, number]));
  await client.mset(pairs);
  const found = new Set();
  for await (const keys of client.scanStream({ match: 'scan:*', count: 50 })) keys.forEach((key) => found.add(key));
  say('scan', found.size);
  await client.zadd('wide', ...Array.from({ length: 300 }, (_, number) => [number, `m${number}`]).flat());
  const members = new Set();
  for await (const page of client.zscanStream('wide')) page.forEach((word, at) => at % 2 || members.add(word));
  say('zscan', members.size);
}

// Three tiers, first come first served inside each: the pattern this broker is made for.
async function rankedQueue(client) {
  for (const [tier, job] of [[2, 'c1'], [0, 'a1'], [1, 'b1'], [0, 'a2'], [2, 'c2'], [1, 'b2']]) {
    await client.zadd('prioritized', tier * tierSize + await client.incr('prioritized:counter'), job);
  }
  const taken = [];
  while (taken.length < 6) taken.push(await client.bzpopmin('prioritized', 1));
  say('queue', taken);
}

async function reconnection(client) {
  const listener = connect();
  await listener.subscribe('news');
  const waiting = client.blpop('across', 0);  // Sent again by the library when the server is back.
  console.log('!restart');
  await new Promise((resolve) => lines.once('line', resolve));
  const other = connect();
  await untilBlocked(other, 1);
  await other.rpush('across', 'restart');
  say('after restart', await waiting, await client.set('after', 1));
  for (const deadline = Date.now() + 10000; (await other.pubsub('NUMSUB', 'news'))[1] !== 1;) {
    assert(Date.now() < deadline, 'the subscription did not come back');
  }
  const heard = new Promise((resolve) => listener.once('message', (...event) => resolve(event)));
  await other.publish('news', 'again');
  say('subscribed again', await heard);
  [listener, other].forEach((one) => one.disconnect());
}

async function main() {
  for (speech of [{ protocol: 2 }, { protocol: 3 }, { protocol: 3, replyMapping: 'resp3' }]) {
    const [client, other] = [connect(), connect()];
    await client.flushall();
    await values(client);
    await pipelines(client);
    await blocking(client, other);
    await transactions(client, other);
    await subscriptions(client);
    await streams(client);
    await scans(client);
    await rankedQueue(client);
    await reconnection(client);
    say('quit', await client.quit(), await other.quit());
  }
  lines.close();
}

// A timer of the library's would keep the process for ten seconds more.
main().then(() => process.exit(0), (error) => { console.log(error.stack); process.exit(1); });
