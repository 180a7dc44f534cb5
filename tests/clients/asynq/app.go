// What a service built on asynq does; run by ./run, which says how its output is used.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

var redis = asynq.RedisClientOpt{Addr: "127.0.0.1:" + os.Getenv("RUNG_PORT")}
var client = asynq.NewClient(redis)
var inspector = asynq.NewInspector(redis)

func say(words ...any) {
	texts := make([]string, len(words))
	for index, word := range words {
		text, err := json.Marshal(word)
		must(err)
		texts[index] = string(text)
	}
	fmt.Println(strings.Join(texts, " "))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The time is counted in tries, 15 seconds of them: a machine that stands still for a while takes none.
func until(what string, test func() bool) {
	for tries := 0; !test(); tries++ {
		if tries == 1500 {
			panic("waited in vain: " + what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// trace is what the handlers did, in order.
type trace struct {
	sync.Mutex
	words []string
}

func (t *trace) add(word string) {
	t.Lock()
	defer t.Unlock()
	t.words = append(t.words, word)
}

func (t *trace) list() []string {
	t.Lock()
	defer t.Unlock()
	return append([]string{}, t.words...)
}

func serve(concurrency int, queues map[string]int, strict bool, handle asynq.HandlerFunc) *asynq.Server {
	server := asynq.NewServer(redis, asynq.Config{
		Concurrency: concurrency, Queues: queues, StrictPriority: strict,
		RetryDelayFunc:           func(int, error, *asynq.Task) time.Duration { return 100 * time.Millisecond },
		DelayedTaskCheckInterval: 100 * time.Millisecond, TaskCheckInterval: 20 * time.Millisecond,
		ShutdownTimeout: 500 * time.Millisecond,
		Logger:          quiet{},
	})
	must(server.Start(handle))
	return server
}

type quiet struct{}

func (quiet) Debug(...any) {}
func (quiet) Info(...any)  {}
func (quiet) Warn(...any)  {}
func (quiet) Error(...any) {}
func (quiet) Fatal(args ...any) {
	log.Fatal(args...)
}

func enqueue(kind, payload string, options ...asynq.Option) *asynq.TaskInfo {
	info, err := client.Enqueue(asynq.NewTask(kind, []byte(payload)), options...)
	must(err)
	return info
}

func info(queue string) map[string]int {
	found, err := inspector.GetQueueInfo(queue)
	must(err)
	return map[string]int{"size": found.Size, "pending": found.Pending, "active": found.Active, "scheduled": found.Scheduled,
		"retry": found.Retry, "archived": found.Archived, "completed": found.Completed, "aggregating": found.Aggregating,
		"processed": found.Processed, "failed": found.Failed}
}

func plainTasks() {
	for number := 0; number < 10; number++ {
		enqueue("note", fmt.Sprint(number), asynq.TaskID(fmt.Sprint("id", number)), asynq.Retention(time.Minute))
	}
	_, err := client.Enqueue(asynq.NewTask("note", nil), asynq.TaskID("id3"))
	say("same id", text(err), errors.Is(err, asynq.ErrTaskIDConflict))
	_, err = client.Enqueue(asynq.NewTask("unique", []byte("x")), asynq.Unique(time.Minute))
	must(err)
	_, err = client.Enqueue(asynq.NewTask("unique", []byte("x")), asynq.Unique(time.Minute))
	say("duplicate", text(err), errors.Is(err, asynq.ErrDuplicateTask))
	say("waiting", info("default"))
	pending, err := inspector.ListPendingTasks("default", asynq.PageSize(3), asynq.Page(2))
	must(err)
	say("page", ids(pending))
	done := &trace{}
	server := serve(1, map[string]int{"default": 1}, false, func(_ context.Context, task *asynq.Task) error {
		done.add(task.Type() + string(task.Payload()))
		_, err := task.ResultWriter().Write([]byte("did " + string(task.Payload())))
		return err
	})
	until("all tasks", func() bool { return info("default")["processed"] == 11 })
	server.Shutdown()
	say("order", done.list())
	found, err := inspector.GetTaskInfo("default", "id7")
	must(err)
	say("result", found.State.String(), string(found.Result), found.Retention.String(), !found.CompletedAt.IsZero())
	say("after", info("default"))
	say("deleted", text(inspector.DeleteTask("default", "id7")), text(inspector.DeleteTask("default", "id7")))
	_, err = inspector.GetTaskInfo("nowhere", "id7")
	say("no queue", text(err))
	count, err := inspector.DeleteAllCompletedTasks("default")
	say("completed deleted", count, text(err))
}

func ids(tasks []*asynq.TaskInfo) []string {
	found := []string{}
	for _, task := range tasks {
		found = append(found, task.ID)
	}
	return found
}

func retries() {
	tries := &trace{}
	enqueue("shaky", "2", asynq.MaxRetry(5), asynq.Queue("shaky"))
	enqueue("shaky", "9", asynq.MaxRetry(1), asynq.Queue("shaky"), asynq.TaskID("hopeless"))
	enqueue("skip", "", asynq.MaxRetry(5), asynq.Queue("shaky"), asynq.TaskID("skipped"))
	server := serve(2, map[string]int{"shaky": 1}, false, func(ctx context.Context, task *asynq.Task) error {
		count, _ := asynq.GetRetryCount(ctx)
		if task.Type() == "skip" {
			return fmt.Errorf("not again: %w", asynq.SkipRetry)
		}
		if fmt.Sprint(count) < string(task.Payload()) {
			return fmt.Errorf("try %d", count)
		}
		tries.add(fmt.Sprint("done after ", count))
		return nil
	})
	until("the end", func() bool { now := info("shaky"); return now["archived"] == 2 && now["size"] == 2 })
	server.Shutdown()
	hopeless, err := inspector.GetTaskInfo("shaky", "hopeless")
	must(err)
	skipped, err := inspector.GetTaskInfo("shaky", "skipped")
	must(err)
	say("retried", tries.list(), hopeless.State.String(), hopeless.LastErr, hopeless.Retried, skipped.LastErr)
	say("run", text(inspector.RunTask("shaky", "hopeless")), info("shaky")["pending"])
	say("archive", text(inspector.ArchiveTask("shaky", "hopeless")), info("shaky")["archived"])
	count, err := inspector.RunAllArchivedTasks("shaky")
	say("run all", count, text(err), info("shaky")["pending"])
	say("delete queue", text(inspector.DeleteQueue("shaky", false)), text(inspector.DeleteQueue("shaky", true)))
}

func priorities() {
	for number := 0; number < 3; number++ {
		for _, queue := range []string{"low", "critical", "normal"} {
			enqueue("note", fmt.Sprint(queue, number), asynq.Queue(queue))
		}
	}
	must(inspector.PauseQueue("normal"))
	done := &trace{}
	server := serve(1, map[string]int{"critical": 6, "normal": 3, "low": 1}, true, func(_ context.Context, task *asynq.Task) error {
		done.add(string(task.Payload()))
		return nil
	})
	until("six", func() bool { return len(done.list()) == 6 })
	time.Sleep(100 * time.Millisecond)
	say("strict, one paused", done.list(), info("normal")["pending"])
	must(inspector.UnpauseQueue("normal"))
	until("nine", func() bool { return len(done.list()) == 9 })
	server.Shutdown()
	say("resumed", done.list()[6:], text(inspector.UnpauseQueue("normal")))
	for number := 0; number < 90; number++ {
		enqueue("note", fmt.Sprint(number), asynq.Queue([]string{"low", "critical", "normal"}[number%3]))
	}
	times := map[string]int{}
	var mutex sync.Mutex
	server = serve(8, map[string]int{"critical": 6, "normal": 3, "low": 1}, false, func(_ context.Context, task *asynq.Task) error {
		mutex.Lock()
		defer mutex.Unlock()
		times[string(task.Payload())]++
		return nil
	})
	until("ninety", func() bool { mutex.Lock(); defer mutex.Unlock(); return len(times) == 90 })
	server.Shutdown()
	once := true
	for _, count := range times {
		once = once && count == 1
	}
	say("weighted, each once", len(times), once)
}

func schedules() {
	start := time.Now()
	enqueue("note", "second", asynq.Queue("later"), asynq.ProcessIn(2*time.Second))
	enqueue("note", "first", asynq.Queue("later"), asynq.ProcessAt(start.Add(time.Second)))
	enqueue("note", "tomorrow", asynq.Queue("later"), asynq.ProcessIn(24*time.Hour), asynq.TaskID("tomorrow"))
	scheduled, err := inspector.ListScheduledTasks("later")
	must(err)
	say("scheduled", len(scheduled), string(scheduled[2].Payload))
	done := &trace{}
	server := serve(1, map[string]int{"later": 1}, false, func(_ context.Context, task *asynq.Task) error {
		done.add(string(task.Payload()))
		return nil
	})
	until("two", func() bool { return len(done.list()) == 2 })
	say("order", done.list(), time.Since(start) >= time.Second, text(inspector.RunTask("later", "tomorrow")))
	until("three", func() bool { return len(done.list()) == 3 })
	planner := asynq.NewScheduler(redis, &asynq.SchedulerOpts{Logger: quiet{}})
	_, err = planner.Register("@every 1s", asynq.NewTask("note", []byte("tick")), asynq.Queue("later"))
	must(err)
	must(planner.Start())
	until("a tick", func() bool { words := done.list(); return words[len(words)-1] == "tick" })
	var entries []*asynq.SchedulerEntry
	until("the entries", func() bool {
		entries, err = inspector.SchedulerEntries()
		return err == nil && len(entries) > 0
	})
	say("entries", len(entries), entries[0].Spec, entries[0].Task.Type())
	planner.Shutdown()
	server.Shutdown()
}

func groups() {
	done := &trace{}
	server := asynq.NewServer(redis, asynq.Config{
		Concurrency: 1, Queues: map[string]int{"grouped": 1}, Logger: quiet{}, TaskCheckInterval: 20 * time.Millisecond,
		GroupGracePeriod: time.Second, GroupMaxSize: 4,
		GroupAggregator: asynq.GroupAggregatorFunc(func(group string, tasks []*asynq.Task) *asynq.Task {
			words := []string{}
			for _, task := range tasks {
				words = append(words, string(task.Payload()))
			}
			sort.Strings(words)
			return asynq.NewTask("together", []byte(group+":"+strings.Join(words, ",")))
		}),
	})
	for number := 0; number < 4; number++ {
		enqueue("part", fmt.Sprint(number), asynq.Queue("grouped"), asynq.Group("g"))
	}
	found, err := inspector.Groups("grouped")
	must(err)
	say("groups", found[0].Group, found[0].Size, info("grouped")["aggregating"])
	must(server.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		done.add(string(task.Payload()))
		return nil
	})))
	until("the group", func() bool { return len(done.list()) == 1 })
	server.Shutdown()
	say("together", done.list())
}

func cancellation() {
	enqueue("long", "", asynq.Queue("long"), asynq.TaskID("long"), asynq.MaxRetry(0))
	started := make(chan bool)
	server := serve(1, map[string]int{"long": 1}, false, func(ctx context.Context, _ *asynq.Task) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	})
	<-started
	say("active", info("long")["active"])
	until("a server that tells", func() bool { servers, _ := inspector.Servers(); return len(servers) > 0 })
	time.Sleep(100 * time.Millisecond)
	must(inspector.CancelProcessing("long"))
	until("the cancellation", func() bool { return info("long")["archived"] == 1 })
	found, err := inspector.GetTaskInfo("long", "long")
	must(err)
	say("cancelled", found.LastErr)
	server.Shutdown()
	days, err := inspector.History("long", 1)
	must(err)
	say("history", days[0].Processed, days[0].Failed)
}

// deadWorker: a process that is killed in the middle of a task; its lease runs out and the task comes back.
func deadWorker() {
	enqueue("hang", "", asynq.Queue("fragile"), asynq.TaskID("hang"), asynq.MaxRetry(3))
	child := exec.Command(os.Args[0], "doomed")
	out, err := child.StdoutPipe()
	must(err)
	must(child.Start())
	_, err = out.Read(make([]byte, 16))
	must(err)
	must(child.Process.Kill())
	_, _ = io.ReadAll(out)
	_ = child.Wait()
	say("still active", info("fragile")["active"])
	say("not to be deleted", text(inspector.DeleteTask("fragile", "hang")))
}

func doomed() {
	serve(1, map[string]int{"fragile": 1}, false, func(context.Context, *asynq.Task) error {
		fmt.Println("taken")
		select {}
	})
	select {}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "doomed" {
		doomed()
	}
	for _, step := range []func(){plainTasks, retries, priorities, schedules, groups, cancellation, deadWorker} {
		step()
	}
	queues, err := inspector.Queues()
	must(err)
	sort.Strings(queues)
	say("queues", queues)
	must(client.Close())
	must(inspector.Close())
}
