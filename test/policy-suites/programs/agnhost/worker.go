// The worker of cyclonus's batches: the same requests in and the same results out, but all of a pod's connections
// are tried at once in one process, rather than ten at a time in a process each.

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	patience = time.Second
	attempts = 3
)

type request struct {
	Key      string
	Protocol string
	Host     string
	Port     int
}

type result struct {
	Request request
	Output  string
	Error   string
}

func runWorker(jobs string) error {
	var batch struct{ Requests []request }
	if err := json.Unmarshal([]byte(jobs), &batch); err != nil {
		return err
	}
	results := make([]result, len(batch.Requests))
	var all sync.WaitGroup
	for index, one := range batch.Requests {
		all.Go(func() {
			results[index] = result{Request: one}
			for attempt := 0; attempt < attempts; attempt++ {
				err := try(one)
				if err == nil {
					results[index].Error = ""
					return
				}
				results[index].Error = err.Error()
			}
		})
	}
	all.Wait()
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	return nil
}

func try(one request) error {
	address := net.JoinHostPort(one.Host, strconv.Itoa(one.Port))
	if one.Protocol == "SCTP" {
		return associate(address, patience)
	}
	network := map[string]string{"TCP": "tcp", "UDP": "udp"}[one.Protocol]
	socket, err := net.DialTimeout(network, address, patience)
	if err != nil || network == "tcp" {
		return closed(socket, err)
	}
	defer socket.Close()
	socket.SetDeadline(time.Now().Add(patience))
	if _, err := socket.Write([]byte("hostname")); err != nil {
		return err
	}
	_, err = socket.Read(make([]byte, 1024))
	return err
}

func closed(socket net.Conn, err error) error {
	if err == nil {
		socket.Close()
	}
	return err
}

// isWorker says whether the program was started as /worker --jobs JSON.
func isWorker() bool {
	return len(os.Args) == 3 && os.Args[1] == "--jobs"
}
