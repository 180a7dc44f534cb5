<?php
// What services built on phpredis, Predis and Laravel's queue do; run by ./run, which says how its output is used.

require 'Predis/Autoloader.php';
require 'Illuminate/Queue/autoload.php';
require 'Illuminate/Redis/autoload.php';
Predis\Autoloader::register();
error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(function (int $level, string $message, string $file, int $line): bool {
    if ($level & (E_DEPRECATED | E_USER_DEPRECATED)) {
        return true;
    }
    throw new ErrorException($message, 0, $level, $file, $line);
});

const HOST = '127.0.0.1';
define('PORT', (int) getenv('RUNG_PORT'));
const SCRIPT = "local id = redis.call('INCR', KEYS[1]) redis.call('ZADD', KEYS[2], ARGV[1], id) return {id, redis.call('ZCARD', KEYS[2])}";

function say(mixed ...$words): void
{
    echo implode(' ', array_map(fn ($word) => json_encode($word, JSON_UNESCAPED_UNICODE), $words)), "\n";
}

function failure(callable $step): string
{
    try {
        $step();
        return 'none';
    } catch (Exception $error) {
        return $error->getMessage();
    }
}

function phpredis(): void
{
    $redis = new Redis();
    $redis->connect(HOST, PORT);
    $redis->select(1);
    say('phpredis', $redis->set('plain', 'é 漢字', ['nx', 'ex' => 100]), $redis->get('plain'), $redis->ttl('plain') > 0, $redis->get('none'));
    say('types', $redis->incrBy('counter', 5), $redis->hMSet('hash', ['one' => 1, 'two' => 2]), $redis->hGetAll('hash'));
    say('zset', $redis->zAdd('scores', 2.5, 'half', 1, 'low'), $redis->zRange('scores', 0, -1, true), $redis->zPopMin('scores'));
    say('list', $redis->rPush('list', 'a', 'b', 'c'), $redis->lRange('list', 0, -1), $redis->blPop(['none', 'list'], 1));
    say('pipeline', $redis->multi(Redis::PIPELINE)->set('p', 1)->incr('p')->lPush('p', 'wrong')->get('p')->exec());
    say('transaction', $redis->multi()->set('t', 1)->incr('t')->exec());
    say('script', $redis->eval(SCRIPT, ['id', 'jobs', 5], 2), $redis->evalSha(sha1(SCRIPT), ['id', 'jobs', 5], 2));
    say('no script', $redis->evalSha(str_repeat('0', 40), []), $redis->getLastError());
    $redis->set('binary', "\0\r\n\xff");
    say('binary', bin2hex($redis->get('binary')), $redis->bzPopMin(['scores'], 1));
    $cursor = null;
    $found = [];
    while ($keys = $redis->scan($cursor, '*', 100)) {
        $found = array_merge($found, $keys);
    }
    sort($found);
    say('scan', $found);
    say('stream', strlen($redis->xAdd('stream', '5-1', ['n' => '1'])), $redis->xGroup('CREATE', 'stream', 'group', '0'),
        $redis->xReadGroup('group', 'worker', ['stream' => '>']), $redis->xAck('stream', 'group', ['5-1']));
}

function predis(): void
{
    $redis = new Predis\Client(['host' => HOST, 'port' => PORT, 'database' => 2]);
    say('predis', (string) $redis->set('plain', 'value', 'EX', 100), $redis->get('plain'), $redis->get('none'));
    say('wrong type', failure(fn () => $redis->lpush('plain', ['x'])));
    say('zset', $redis->zadd('scores', ['half' => 2.5, 'low' => 1]), $redis->zrange('scores', 0, -1, ['withscores' => true]));
    say('pipeline', array_map('strval', $redis->pipeline(function ($pipe) {
        for ($number = 0; $number < 3; $number++) {
            $pipe->rpush('list', ["n$number"]);
        }
    })));
    say('transaction', array_map('strval', $redis->transaction()->set('t', 1)->incr('t')->execute()));
    say('script', $redis->eval(SCRIPT, 2, 'id', 'jobs', 5), $redis->evalsha(sha1(SCRIPT), 2, 'id', 'jobs', 5));
    $listener = new Predis\Client(['host' => HOST, 'port' => PORT, 'read_write_timeout' => 10]);
    $loop = $listener->pubSubLoop(['subscribe' => 'news']);
    foreach ($loop as $message) {
        say('message', $message->kind, $message->channel, $message->payload);
        if ($message->kind === 'subscribe') {
            $redis->publish('news', 'hello');
        } else {
            break;
        }
    }
    unset($loop);
}

function laravel(string $driver): void
{
    $container = new Illuminate\Container\Container();
    $settings = ['default' => ['host' => HOST, 'port' => PORT, 'database' => 5], 'options' => ['prefix' => "app-$driver:"]];
    $queue = new Illuminate\Queue\RedisQueue(new Illuminate\Redis\RedisManager($container, $driver, $settings), 'default', null, 1);
    $queue->setContainer($container);
    $queue->setConnectionName('redis');
    $names = fn (array $jobs): array => array_map(fn ($job) => $job?->payload()['data']['word'], $jobs);
    foreach (['first', 'é 漢字 /', 'third'] as $word) {
        $queue->push('Note', ['word' => $word, 'empty' => []]);
    }
    $queue->push('Note', ['word' => 'high'], 'high');
    say($driver, $queue->size(), $queue->size('high'));
    $job = $queue->pop('high');
    say('popped', $job->getName(), $job->attempts(), $job->payload()['data'], $queue->size('high'));
    $job->delete();
    $jobs = [$queue->pop(), $queue->pop(), $queue->pop(), $queue->pop()];
    say('in order', $names($jobs), $queue->size());
    $jobs[0]->delete();
    $jobs[1]->release(0);
    $again = $queue->pop();
    say('released', $names([$again]), $again->attempts(), $again->payload()['data']['empty'] ?? null);
    $again->delete();
    sleep(2);
    $late = $queue->pop();
    say('reserved too long', $names([$late]), $late->attempts(), $queue->size());
    $late->delete();
    $queue->later(1, 'Note', ['word' => 'later']);
    $queue->later(3600, 'Note', ['word' => 'in an hour']);
    say('delayed', $queue->pop() === null, $queue->size());
    sleep(2);
    say('due', $names([$due = $queue->pop()]), $queue->size());
    $due->delete();
    $queue->bulk(['A', 'B'], ['word' => 'bulk']);
    say('bulk', $queue->size(), $queue->clear('default'), $queue->size());
}

phpredis();
predis();
foreach (['predis', 'phpredis'] as $driver) {
    laravel($driver);
}
