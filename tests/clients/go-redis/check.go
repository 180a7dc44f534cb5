// What a go-redis user does, with both protocols; built and run by ./run, which says how its output is used.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const tierSize = 1 << 32

var (
	ctx   = context.Background()
	input = bufio.NewReader(os.Stdin)
)

// check is one pass with one protocol.
type check struct {
	protocol      int
	client, other *redis.Client
}

func (c *check) connect() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Getenv("RUNG_PORT"), Protocol: c.protocol})
}

func (c *check) say(words ...interface{}) {
	fmt.Printf("resp%d %s", c.protocol, fmt.Sprintln(words...))
}

func until(condition func() bool) {
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			panic("waited in vain")
		}
	}
}

func (c *check) untilBlocked(count int) {
	until(func() bool {
		return strings.Contains(c.other.Info(ctx, "clients").Val(), fmt.Sprintf("blocked_clients:%d\r\n", count))
	})
}

func (c *check) values() {
	c.client.Set(ctx, "plain", "value", 100*time.Second)
	c.say(c.client.Get(ctx, "plain"), c.client.Get(ctx, "missing").Err() == redis.Nil)
	c.say(c.client.TTL(ctx, "plain").Val() > 0)
	c.say(c.client.IncrBy(ctx, "counter", 5), c.client.IncrByFloat(ctx, "float", 1.5))
	c.client.HSet(ctx, "hash", "one", 1, "two", 2)
	c.say(c.client.HGetAll(ctx, "hash").Val(), c.client.HMGet(ctx, "hash", "two", "three"))
	c.client.ZAdd(ctx, "scores", redis.Z{Score: 1, Member: "low"}, redis.Z{Score: 2.5, Member: "half"})
	c.say(c.client.ZRangeWithScores(ctx, "scores", 0, -1), c.client.ZScore(ctx, "scores", "half"))
	c.say(c.client.ZRank(ctx, "scores", "none").Err(), c.client.ZMScore(ctx, "scores", "low", "none"))
	for _, words := range [][]interface{}{{"lpush", "plain", "x"}, {"nosuch", "a"}, {"get"}, {"incr", "plain"}} {
		c.say("error", words, c.client.Do(ctx, words...).Err())
	}
}

func (c *check) pipelines() {
	pipe := c.client.Pipeline()
	for number := 0; number < 1000; number++ {
		pipe.RPush(ctx, "long", number)
	}
	answers, err := pipe.Exec(ctx)
	right := 0
	for at, answer := range answers {
		if answer.(*redis.IntCmd).Val() == int64(at+1) {
			right++
		}
	}
	c.say("pipeline", right, err)
	mixed, err := c.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Set(ctx, "plain", "text", 0)
		pipe.Incr(ctx, "plain")
		pipe.Get(ctx, "plain")
		return nil
	})
	c.say("pipeline with an error", mixed, err)
}

func (c *check) blocking() {
	cases := []struct {
		wait func() interface{}
		feed func()
	}{
		{func() interface{} { return c.client.BLPop(ctx, 9*time.Second, "none", "jobs") },
			func() { c.other.RPush(ctx, "jobs", "job") }},
		{func() interface{} { return c.client.BZPopMin(ctx, 9*time.Second, "ranked").Val() },
			func() { c.other.ZAdd(ctx, "ranked", redis.Z{Score: 7, Member: "job"}) }},
		{func() interface{} { return c.client.BLMove(ctx, "from", "to", "left", "right", 9*time.Second) },
			func() { c.other.RPush(ctx, "from", "job") }},
		{func() interface{} { return c.client.BZMPop(ctx, 9*time.Second, "min", 2, "many") },
			func() { c.other.ZAdd(ctx, "many", redis.Z{Score: 1, Member: "a"}, redis.Z{Score: 2, Member: "b"}) }},
	}
	for _, each := range cases {
		got := make(chan interface{})
		go func(wait func() interface{}) { got <- wait() }(each.wait)
		c.untilBlocked(1)
		each.feed()
		c.say(<-got)
	}
	c.say("nothing in time", c.client.Do(ctx, "blpop", "none", "0.05").Err())
	c.say("nothing in time", c.client.Do(ctx, "bzpopmin", "none", "0.05").Err())
}

func (c *check) transactions() {
	conflict := c.client.Watch(ctx, func(tx *redis.Tx) error {
		c.other.Set(ctx, "watched", "theirs", 0)
		_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			return pipe.Set(ctx, "watched", "mine", 0).Err()
		})
		return err
	}, "watched")
	c.say("watch conflict", errors.Is(conflict, redis.TxFailedErr), c.client.Get(ctx, "watched"))
	c.say(c.client.Watch(ctx, func(tx *redis.Tx) error {
		answers, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Set(ctx, "watched", "mine", 0)
			pipe.Get(ctx, "watched")
			pipe.LPush(ctx, "watched", "x")
			return nil
		})
		c.say("exec", answers, err)
		return nil
	}, "watched"))
}

func (c *check) subscriptions() {
	listener := c.client.Subscribe(ctx, "news")
	defer listener.Close()
	first, err := listener.Receive(ctx)
	c.say(first, err)
	c.say(listener.PSubscribe(ctx, "n*"))
	second, err := listener.Receive(ctx)
	c.say(second, err)
	c.say("publish", c.client.Publish(ctx, "news", "hello"), c.client.PubSubNumSub(ctx, "news", "none"))
	for range []int{1, 2} {
		event, err := listener.ReceiveMessage(ctx)
		c.say(event, err)
	}
	c.say(listener.Ping(ctx, "hi"))
	pong, err := listener.Receive(ctx)
	c.say(pong, err)
}

func (c *check) streams() {
	c.say(c.client.XGroupCreateMkStream(ctx, "stream", "group", "0"))
	for n := 1; n <= 3; n++ {
		id := fmt.Sprintf("%d-0", n)
		c.say(c.client.XAdd(ctx, &redis.XAddArgs{Stream: "stream", ID: id, Values: []interface{}{"n", n}}))
	}
	read := func(count int64, block time.Duration) *redis.XStreamSliceCmd {
		return c.client.XReadGroup(ctx, &redis.XReadGroupArgs{
			Group: "group", Consumer: "worker", Streams: []string{"stream", ">"}, Count: count, Block: block})
	}
	c.say(read(2, -1))
	c.say(c.client.XAck(ctx, "stream", "group", "1-0"), c.client.XPending(ctx, "stream", "group").Val())
	c.say(read(9, 10*time.Millisecond), read(9, 10*time.Millisecond).Err())
	c.say(c.client.XInfoStream(ctx, "stream").Val().Length, c.client.XInfoGroups(ctx, "stream").Val())
}

func (c *check) scans() {
	pairs := map[string]interface{}{}
	for number := 0; number < 500; number++ {
		pairs[fmt.Sprint("scan:", number)] = number
		c.client.ZAdd(ctx, "wide", redis.Z{Score: float64(number), Member: number})
	}
	c.client.MSet(ctx, pairs)
	found := map[string]bool{}
	keys := c.client.Scan(ctx, 0, "scan:*", 50).Iterator()
	for keys.Next(ctx) {
		found[keys.Val()] = true
	}
	members := map[string]bool{}
	words := c.client.ZScan(ctx, "wide", 0, "", 50).Iterator()
	for words.Next(ctx) {
		members[words.Val()] = true
	}
	c.say("scan", len(found), keys.Err(), "zscan", len(members), words.Err())
}

// Three tiers, first come first served inside each: the pattern this broker is made for.
func (c *check) rankedQueue() {
	for _, job := range []string{"2c1", "0a1", "1b1", "0a2", "2c2", "1b2"} {
		score := int64(job[0]-'0')*tierSize + c.client.Incr(ctx, "prioritized:counter").Val()
		c.client.ZAdd(ctx, "prioritized", redis.Z{Score: float64(score), Member: job})
	}
	for taken := 0; taken < 6; taken++ {
		job := c.client.BZPopMin(ctx, time.Second, "prioritized").Val()
		c.say(job.Member, int64(job.Score)/tierSize, int64(job.Score)%tierSize)
	}
}

func (c *check) server() {
	commands, err := c.client.Command(ctx).Result()
	for _, name := range []string{"get", "xadd", "zpopmin", "zadd"} {
		about := commands[name]
		sort.Strings(about.Flags)
		c.say(about.Name, about.Arity, about.Flags, about.FirstKeyPos, about.LastKeyPos, about.StepCount, err)
	}
	c.say(c.client.ConfigGet(ctx, "maxmemory-policy"), c.client.DBSize(ctx).Err(), c.client.ClientID(ctx).Err())
}

func (c *check) reconnection() {
	events := c.client.Subscribe(ctx, "news").Channel()
	until(func() bool { return c.client.PubSubNumSub(ctx, "news").Val()["news"] == 1 })
	fmt.Println("!restart")
	if _, err := input.ReadString('\n'); err != nil {
		panic(err)
	}
	until(func() bool { return c.client.Ping(ctx).Err() == nil && c.other.Ping(ctx).Err() == nil })
	c.say("after restart", c.client.Get(ctx, "counter"), c.other.Set(ctx, "after", 1, 0))
	until(func() bool { return c.other.PubSubNumSub(ctx, "news").Val()["news"] == 1 })
	c.other.Publish(ctx, "news", "again")
	c.say("subscribed again", <-events)
}

type silence struct{}

func (silence) Printf(context.Context, string, ...interface{}) {}

func main() {
	redis.SetLogger(silence{}) // It would tell of the restarts.
	for _, protocol := range []int{2, 3} {
		c := &check{protocol: protocol}
		c.client, c.other = c.connect(), c.connect()
		c.client.FlushAll(ctx)
		for _, step := range []func(){c.values, c.pipelines, c.blocking, c.transactions, c.subscriptions, c.streams,
			c.scans, c.rankedQueue, c.server, c.reconnection} {
			step()
		}
		c.client.Close()
		c.other.Close()
	}
}
