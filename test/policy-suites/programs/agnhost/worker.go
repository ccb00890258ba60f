// The worker of cyclonus's batches: the same requests in and the same results out, but all of a pod's connections
// are tried at once in one process, rather than ten at a time in a process each.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

const lookUpPatience = 30 * time.Second

// How long an answer may take: TCP tries again after a second. On a loaded machine the programs that answer wait
// for the processor.
var patience = 1500*time.Millisecond + time.Duration(load()*float64(50*time.Millisecond))

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
	addresses := resolve(batch.Requests)
	results := make([]result, len(batch.Requests))
	var all sync.WaitGroup
	for index, one := range batch.Requests {
		all.Go(func() {
			results[index] = result{Request: one}
			if err := try(one, addresses[one.Host]); err != nil {
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

// Names are looked up once: the patience is for packets. A name that is not found has no address.
func resolve(requests []request) map[string]string {
	hosts := map[string]bool{}
	for _, request := range requests {
		hosts[request.Host] = true
	}
	addresses := map[string]string{}
	var all sync.WaitGroup
	var one sync.Mutex
	for host := range hosts {
		all.Go(func() {
			late, stop := context.WithTimeout(context.Background(), lookUpPatience)
			defer stop()
			found, err := net.DefaultResolver.LookupIPAddr(late, host)
			if err != nil {
				return
			}
			one.Lock()
			defer one.Unlock()
			addresses[host] = found[0].String()
		})
	}
	all.Wait()
	return addresses
}

func try(one request, host string) error {
	if host == "" {
		return fmt.Errorf("%s has no address", one.Host)
	}
	address := net.JoinHostPort(host, strconv.Itoa(one.Port))
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

// The number of processes that the machine has had to run during the last minute.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var average float64
	fmt.Sscan(string(text), &average)
	return average
}

// isWorker says whether the program was started as /worker --jobs JSON.
func isWorker() bool {
	return len(os.Args) == 3 && os.Args[1] == "--jobs"
}
