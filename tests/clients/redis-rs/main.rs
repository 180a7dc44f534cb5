//! What a service built on redis-rs does; run by ./run, which says how its output is used.

use redis::streams::{
    StreamAutoClaimOptions, StreamAutoClaimReply, StreamPendingCountReply, StreamReadOptions, StreamReadReply,
};
use redis::{Client, Commands, Connection, ConnectionLike, RedisResult, Script, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::time::{Duration, Instant};

macro_rules! say {
    ($($word:expr),+) => {{
        let words = vec![$(format!("{:?}", $word)),+];
        println!("{}", words.join(" "));
    }};
}

const LEVEL: u64 = 1 << 32;

/// Takes the best job, moves it to the active list and locks it, as queue libraries do.
const TAKE: &str = r"
    local popped = redis.call('ZPOPMIN', KEYS[1])
    if #popped == 0 then return false end
    redis.call('LPUSH', KEYS[2], popped[1])
    redis.call('SET', KEYS[2] .. ':' .. popped[1], ARGV[1], 'PX', 30000)
    return {popped[1], popped[2], redis.call('LLEN', KEYS[2])}
";

fn connect(url: &str) -> RedisResult<Connection> {
    Client::open(url)?.get_connection_with_timeout(Duration::from_secs(5))
}

fn until_blocked(other: &mut Connection, count: usize) -> RedisResult<()> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let info: String = redis::cmd("INFO").arg("clients").query(other)?;
        if info.contains(&format!("blocked_clients:{count}\r\n")) {
            return Ok(());
        }
        assert!(Instant::now() < deadline, "waited in vain");
    }
}

fn values(client: &mut Connection) -> RedisResult<()> {
    let _: () = client.set_ex("plain", "é 漢字", 100)?;
    say!(
        "get",
        client.get::<_, String>("plain")?,
        client.get::<_, Option<String>>("none")?,
        client.ttl::<_, i64>("plain")? > 0
    );
    say!(
        "counters",
        client.incr::<_, _, i64>("counter", 5)?,
        client.incr::<_, _, f64>("float", 1.5)?
    );
    let _: () = client.hset_multiple("hash", &[("one", 1), ("two", 2)])?;
    say!("hash", client.hgetall::<_, BTreeMap<String, i64>>("hash")?);
    let _: () = client.zadd_multiple("scores", &[(2.5, "half"), (1.0, "low"), (f64::INFINITY, "top")])?;
    say!(
        "zset",
        client.zrange_withscores::<_, Vec<(String, f64)>>("scores", 0, -1)?
    );
    let _: () = client.set("binary", &b"\0\r\n\xff"[..])?;
    say!("binary", client.get::<_, Vec<u8>>("binary")?);
    say!(
        "sets",
        client.sadd::<_, _, i64>("set", &["a", "b"])?,
        client.smembers::<_, BTreeSet<String>>("set")?
    );
    let wrong: RedisResult<i64> = client.rpush("plain", "x");
    let error = wrong.unwrap_err();
    say!("error", error.kind(), error.detail());
    let unknown: RedisResult<Value> = redis::cmd("NOSUCH").arg("a").query(client);
    say!("unknown", unknown.unwrap_err().to_string());
    Ok(())
}

fn batches(client: &mut Connection) -> RedisResult<()> {
    let mut pipe = redis::pipe();
    for number in 0..1000 {
        pipe.rpush("long", number);
    }
    let lengths: Vec<i64> = pipe.query(client)?;
    say!("pipeline", lengths.len(), lengths[999]);
    let (first, second): (String, i64) = redis::pipe().atomic().set("a", 1).incr("a", 1).query(client)?;
    say!("transaction", first, second);
    let mut tries = 0;
    let mut other = connect(&url())?;
    let (value,): (i64,) = redis::transaction(client, &["watched"], |connection, pipe| {
        tries += 1;
        if tries == 1 {
            let _: () = other.incr("watched", 10)?;
        }
        let old: i64 = connection.get::<_, Option<i64>>("watched")?.unwrap_or(0);
        pipe.set("watched", old + 1).ignore().get("watched").query(connection)
    })?;
    say!("watched", value, tries);
    Ok(())
}

fn queue(client: &mut Connection) -> RedisResult<()> {
    for (level, job) in [(2, "c1"), (0, "a1"), (1, "b1"), (0, "a2"), (2, "c2"), (1, "b2")] {
        let count: u64 = client.incr("waiting:counter", 1)?;
        let _: () = client.zadd("waiting", job, level * LEVEL + count)?;
    }
    let script = Script::new(TAKE);
    let mut taken = Vec::new();
    while let Some(job) = script
        .key("waiting")
        .key("active")
        .arg("token")
        .invoke::<Option<(String, u64, i64)>>(client)?
    {
        taken.push(job);
    }
    say!(
        "queue",
        taken,
        client.llen::<_, i64>("active")?,
        client.exists::<_, bool>("waiting")?
    );
    say!(
        "lock",
        client.get::<_, String>("active:a1")?,
        client.pttl::<_, i64>("active:a1")? > 0
    );
    Ok(())
}

fn blocking(client: &mut Connection) -> RedisResult<()> {
    let waiting =
        std::thread::spawn(|| -> RedisResult<(String, String, f64)> { connect(&url())?.bzpopmin("ranked", 9.0) });
    until_blocked(client, 1)?;
    let _: () = client.zadd("ranked", "job", 7)?;
    say!("bzpopmin", waiting.join().unwrap()?);
    let listed = std::thread::spawn(|| -> RedisResult<(String, String)> {
        connect(&url())?.blpop(&["none", "listed"][..], 9.0)
    });
    until_blocked(client, 1)?;
    let _: () = client.rpush("listed", "job")?;
    say!(
        "blpop",
        listed.join().unwrap()?,
        client.blpop::<_, Option<(String, String)>>("none", 0.05)?
    );
    Ok(())
}

fn messages() -> RedisResult<()> {
    let mut listener = connect(&url())?;
    let mut sender = connect(&url())?;
    let mut subscribed = listener.as_pubsub();
    subscribed.subscribe("news")?;
    subscribed.psubscribe("n*")?;
    say!("published", sender.publish::<_, _, i64>("news", "hello")?);
    for _ in 0..2 {
        let message = subscribed.get_message()?;
        say!(
            "message",
            message.get_channel_name(),
            message.get_payload::<String>()?,
            message.from_pattern()
        );
    }
    drop(subscribed);
    Ok(())
}

fn streams(client: &mut Connection) -> RedisResult<()> {
    let _: () = client.xgroup_create_mkstream("stream", "group", "0")?;
    for number in 1..=3 {
        let _: String = client.xadd("stream", format!("{number}-0"), &[("n", number)])?;
    }
    let options = StreamReadOptions::default()
        .group("group", "worker")
        .count(2)
        .block(1000);
    let reply: StreamReadReply = client.xread_options(&["stream"], &[">"], &options)?;
    let ids = |reply: StreamReadReply| {
        let first = reply.keys.into_iter().next();
        first.map(|key| key.ids.into_iter().map(|entry| entry.id).collect::<Vec<_>>())
    };
    say!("read", ids(reply));
    say!(
        "acknowledged",
        client.xack::<_, _, _, i64>("stream", "group", &["1-0"])?,
        client.xlen::<_, i64>("stream")?
    );
    let claimed: StreamAutoClaimReply =
        client.xautoclaim_options("stream", "group", "other", 0, "0", StreamAutoClaimOptions::default())?;
    say!(
        "claimed",
        claimed.claimed.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>()
    );
    let pending: StreamPendingCountReply = client.xpending_count("stream", "group", "-", "+", 10)?;
    say!(
        "pending",
        pending
            .ids
            .iter()
            .map(|one| (&one.id, &one.consumer, one.times_delivered))
            .collect::<Vec<_>>()
    );
    let rest: StreamReadReply = client.xread_options(&["stream"], &[">"], &options)?;
    let none: Option<StreamReadReply> = client.xread_options(&["stream"], &[">"], &options.block(10))?;
    say!("rest", ids(rest), none.and_then(ids));
    let _: () = client.set("scanned", 1)?;
    let found: BTreeSet<String> = client.scan_match::<_, String>("sc*")?.map(|key| key.unwrap()).collect();
    say!("scan", found);
    Ok(())
}

/// With RESP3 a connection that listens may ask as well: messages come between the answers.
fn one_connection_for_all() -> RedisResult<()> {
    let (sender, heard) = std::sync::mpsc::channel();
    let (mut both, mut other) = (connect(&url())?, connect(&url())?);
    both.set_push_sender(sender);
    both.subscribe_resp3("news")?;
    say!("sent to", other.publish::<_, _, i64>("news", "before")?);
    say!(
        "asked",
        both.incr::<_, _, i64>("asked", 1)?,
        both.publish::<_, _, i64>("news", "own")?
    );
    say!("sent to", other.publish::<_, _, i64>("news", "after")?);
    say!(
        "transaction",
        redis::pipe()
            .atomic()
            .incr("asked", 1)
            .incr("asked", 1)
            .query::<(i64, i64)>(&mut both)?
    );
    both.unsubscribe_resp3("news")?;
    say!("and on", both.get::<_, i64>("asked")?);
    drop(both);
    for push in heard {
        say!("push", push.kind, push.data);
    }
    Ok(())
}

/// The program's own connection dies with the server; a new one is made as soon as it answers again.
fn restart(client: &mut Connection) -> RedisResult<()> {
    println!("!restart");
    std::io::stdin().lock().read_line(&mut String::new())?;
    say!("lost", client.get::<_, String>("plain").is_err(), client.is_open());
    let mut fresh = connect(&url())?;
    let gone: RedisResult<Option<String>> = Script::new(TAKE)
        .key("waiting")
        .key("active")
        .arg("token")
        .invoke(&mut fresh);
    say!(
        "after restart",
        fresh.exists::<_, bool>("plain")?,
        gone?,
        fresh.incr::<_, _, i64>("counter", 1)?
    );
    Ok(())
}

fn url() -> String {
    std::env::var("APP_URL").unwrap()
}

fn main() -> RedisResult<()> {
    for suffix in ["", "?protocol=resp3"] {
        std::env::set_var(
            "APP_URL",
            format!("redis://127.0.0.1:{}/1{suffix}", std::env::var("RUNG_PORT").unwrap()),
        );
        let mut client = connect(&url())?;
        say!("protocol", suffix);
        let _: () = redis::cmd("FLUSHDB").query(&mut client)?;
        values(&mut client)?;
        batches(&mut client)?;
        queue(&mut client)?;
        blocking(&mut client)?;
        streams(&mut client)?;
        messages()?;
        if !suffix.is_empty() {
            one_connection_for_all()?;
        }
        restart(&mut client)?;
    }
    Ok(())
}
