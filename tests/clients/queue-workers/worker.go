// A worker in Go: worker QUEUE. Needs go-redis and nothing else.
//
// Takes jobs until one says "stop", prints the body of each that it has done, and fails those that
// begin with "bad". A lost lease shows as an error of the ACK: somebody else has the job by then.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"
)

func main() {
	port := os.Getenv("RUNG_PORT")
	if port == "" {
		port = "6379"
	}
	// The library waits 3 seconds for an answer; a take that blocks for 5 needs longer.
	broker := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, ReadTimeout: -1})
	ctx, queue, name := context.Background(), os.Args[1], fmt.Sprint("go-", os.Getpid())
	for body := ""; body != "stop"; {
		taken, err := broker.Do(ctx, "Q.TAKE", queue, "BLOCK", 5000, "LEASE", 30000, "WORKER", name).Slice()
		if errors.Is(err, redis.Nil) {
			continue
		} else if err != nil {
			log.Fatal(err)
		}
		entry := taken[0].([]interface{})
		receipt := entry[1].(string)
		body = entry[2].(string)
		if strings.HasPrefix(body, "bad") {
			err = broker.Do(ctx, "Q.NACK", queue, receipt, "ERR", "cannot do that").Err()
		} else {
			fmt.Println(body)
			err = broker.Do(ctx, "Q.ACK", queue, receipt).Err()
		}
		if err != nil {
			log.Printf("%s: %v", body, err)
		}
	}
}
