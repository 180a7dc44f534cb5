//! What a service built on apalis does; run by ./run, which says how its output is used.
//!
//! With an argument it is a worker of its own, which is killed in the middle of a task.

use apalis::prelude::*;
use apalis_redis::{connect, Config, ConnectionManager, RedisStorage};
use serde::{Deserialize, Serialize};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Storage = RedisStorage<Mail, ConnectionManager>;
type Outcome<T> = Result<T, BoxDynError>;

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Mail {
    to: String,
    /// How many of the first tries fail.
    failures: usize,
}

fn mail(to: &str, failures: usize) -> Mail {
    Mail {
        to: to.to_owned(),
        failures,
    }
}

macro_rules! say {
    ($($word:expr),+) => {{
        let words = vec![$(format!("{:?}", $word)),+];
        println!("{}", words.join(" "));
    }};
}

/// What the workers of one step have done; the last of `wanted` ends its worker.
#[derive(Default)]
struct Done {
    tries: Mutex<Vec<(String, usize)>>,
    wanted: usize,
}

async fn storage(queue: &str) -> Outcome<Storage> {
    let url = format!("redis://127.0.0.1:{}/2", std::env::var("RUNG_PORT")?);
    let config = Config::default()
        .queue(queue)
        .heartbeat_interval(Duration::from_secs(1))
        .missed_heartbeats(1)
        .idempotency_ttl(Some(Duration::from_secs(60)));
    Ok(RedisStorage::new(connect(url).await?).with_config(config))
}

async fn send(mail: Mail, attempt: Attempt, worker: WorkerContext, done: Data<Arc<Done>>) -> Outcome<String> {
    let tries = {
        let mut tries = done.tries.lock().unwrap();
        tries.push((mail.to.clone(), attempt.current()));
        tries.clone()
    };
    let failed = tries.iter().filter(|(to, _)| *to == mail.to).count() <= mail.failures;
    if tries.len() == done.wanted {
        worker.stop()?;
    }
    if failed {
        return Err("the other side hung up".into());
    }
    Ok(format!("sent to {}", mail.to))
}

/// Works until `wanted` tries have been made, and tells of each: whom, and which try it was. A worker
/// works on several at once, in no order.
async fn work(backend: &Storage, name: &str, wanted: usize, retries: usize) -> Outcome<Vec<(String, usize)>> {
    let done = Arc::new(Done {
        wanted,
        ..Done::default()
    });
    let worker = WorkerBuilder::new(name)
        .backend(backend.clone())
        .retry(RetryPolicy::retries(retries))
        .data(done.clone())
        .build(send);
    tokio::time::timeout(PATIENCE, worker.run()).await??;
    let mut tries = done.tries.lock().unwrap().clone();
    tries.sort();
    Ok(tries)
}

async fn done_and_kept() -> Outcome<()> {
    let mut backend = storage("mail").await?;
    backend
        .push_bulk((0..5).map(|n| mail(&format!("reader {n}"), 0)).collect())
        .await?;
    backend.push(mail("é 漢字", 0)).await?;
    let task = TaskBuilder::new(mail("known by its id", 0)).task_id("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?);
    backend.push_task(task.build()).await?;
    say!("done", work(&backend, "first", 7, 0).await?);
    let known = ["01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?];
    let results: Vec<TaskResult<String>> = backend.check_status(known).await?;
    for result in results {
        say!("result", result.status(), result.result());
    }
    Ok(())
}

async fn tried_again() -> Outcome<()> {
    let mut backend = storage("again").await?;
    backend.push(mail("busy", 2)).await?;
    say!("at once, by the worker", work(&backend, "retrying", 3, 5).await?);
    backend.push(mail("gone", 1)).await?;
    // The worker gives up at once; the storage puts the task off, and it comes again.
    say!("later, by the storage", work(&backend, "giving up", 2, 0).await?);
    Ok(())
}

async fn put_off() -> Outcome<()> {
    let mut backend = storage("later").await?;
    let started = Instant::now();
    backend
        .push_task(
            TaskBuilder::new(mail("later", 0))
                .run_after(Duration::from_secs(2))
                .build(),
        )
        .await?;
    backend.push(mail("now", 0)).await?;
    say!(
        "delayed",
        work(&backend, "patient", 2, 0).await?,
        started.elapsed() >= Duration::from_secs(1)
    );
    Ok(())
}

async fn once_only() -> Outcome<()> {
    let mut backend = storage("once").await?;
    for to in ["one", "two", "one again"] {
        let key = &to[..3];
        backend
            .push_task(TaskBuilder::new(mail(to, 0)).idempotency_key(key).build())
            .await?;
    }
    say!("once for each key", work(&backend, "single", 2, 0).await?);
    Ok(())
}

/// A worker that takes the task and never ends it.
async fn stuck() -> Outcome<()> {
    async fn hang(_: Mail) -> Outcome<()> {
        println!("taken");
        std::future::pending().await
    }
    WorkerBuilder::new("doomed")
        .backend(storage("orphans").await?)
        .build(hang)
        .run()
        .await?;
    Ok(())
}

fn until_taken(child: &mut Child) -> Outcome<()> {
    use std::io::BufRead;
    let mut line = String::new();
    std::io::BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    say!("the doomed worker has", line.trim());
    Ok(())
}

async fn left_behind() -> Outcome<()> {
    let mut backend = storage("orphans").await?;
    backend.push(mail("orphan", 0)).await?;
    let mut child = Command::new(std::env::current_exe()?)
        .arg("stuck")
        .stdout(Stdio::piped())
        .spawn()?;
    let taken = until_taken(&mut child);
    child.kill()?; // SIGKILL
    child.wait()?;
    taken?;
    say!("after a worker was killed", work(&backend, "heir", 1, 0).await?);
    Ok(())
}

/// The storage's connection comes back by itself; what it asks meanwhile fails.
async fn after_a_restart() -> Outcome<()> {
    let mut backend = storage("restart").await?;
    println!("!restart");
    std::io::stdin().read_line(&mut String::new())?;
    let deadline = Instant::now() + PATIENCE;
    while let Err(error) = backend.push(mail("survivor", 0)).await {
        if Instant::now() > deadline {
            return Err(error.into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    say!("after a restart", work(&backend, "risen", 1, 0).await?);
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    if std::env::args().nth(1).is_some() {
        return stuck().await;
    }
    done_and_kept().await?;
    tried_again().await?;
    put_off().await?;
    once_only().await?;
    left_behind().await?;
    after_a_restart().await?;
    Ok(())
}
