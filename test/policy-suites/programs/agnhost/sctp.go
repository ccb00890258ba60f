// SCTP for kernels that filter it without speaking it: the first two packets of an association, by raw sockets.
// That is all that policies decide about.

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/kubernetes/test/images/agnhost/connect"
)

const (
	protocolNumber = 132
	servePrefix    = "SERVE_SCTP_PORT_"

	chunkInit    = 1
	chunkInitAck = 2
	chunkAbort   = 6
)

type packet struct {
	from, to   uint16
	tag        uint32
	chunk      byte
	initiation uint32
}

func kernelSpeaksSCTP() bool {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, protocolNumber)
	if err != nil {
		return false
	}
	syscall.Close(socket)
	return true
}

// Takes the ports of SCTP away from porter, which would end for want of them.
func serveSCTP() {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, servePrefix) {
			continue
		}
		os.Unsetenv(name)
		port, err := strconv.ParseUint(strings.TrimPrefix(name, servePrefix), 10, 16)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for _, network := range []string{"ip4", "ip6"} {
			go answer(network, uint16(port))
		}
	}
}

func answer(network string, port uint16) {
	socket, err := net.ListenPacket(fmt.Sprintf("%s:%d", network, protocolNumber), "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buffer := make([]byte, 2048)
	for {
		count, peer, err := socket.ReadFrom(buffer)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		asked, ok := read(buffer[:count])
		if !ok || asked.to != port || asked.chunk != chunkInit {
			continue
		}
		reply := packet{from: port, to: asked.from, tag: asked.initiation, chunk: chunkInitAck, initiation: rand.Uint32() | 1}
		socket.WriteTo(write(reply), peer)
	}
}

// Connects as `agnhost connect` does, with the same words for what went wrong.
func connectCommand() *cobra.Command {
	usual := connect.CmdConnect
	run := usual.Run
	usual.Run = func(command *cobra.Command, args []string) {
		protocol, _ := command.Flags().GetString("protocol")
		timeout, _ := command.Flags().GetDuration("timeout")
		if protocol != "sctp" || kernelSpeaksSCTP() {
			run(command, args)
			return
		}
		if err := associate(args[0], timeout); err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				fmt.Fprintln(os.Stderr, "TIMEOUT")
			} else {
				fmt.Fprintf(os.Stderr, "OTHER: %v\n", err)
			}
			os.Exit(1)
		}
	}
	return usual
}

func associate(address string, timeout time.Duration) error {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return err
	}
	peer, err := net.ResolveIPAddr("ip", host)
	if err != nil {
		return err
	}
	network := "ip4"
	if peer.IP.To4() == nil {
		network = "ip6"
	}
	socket, err := net.DialIP(fmt.Sprintf("%s:%d", network, protocolNumber), nil, peer)
	if err != nil {
		return err
	}
	defer socket.Close()
	asked := packet{from: uint16(20000 + rand.Intn(40000)), to: uint16(port), chunk: chunkInit, initiation: rand.Uint32() | 1}
	deadline := time.Now().Add(timeout)
	buffer := make([]byte, 2048)
	for {
		if _, err := socket.Write(write(asked)); err != nil {
			return err
		}
		again := time.Now().Add(500 * time.Millisecond)
		if again.After(deadline) {
			again = deadline
		}
		socket.SetReadDeadline(again)
		for {
			// Read would leave the IPv4 header in front.
			count, _, err := socket.ReadFrom(buffer)
			if err != nil {
				var late net.Error
				if errors.As(err, &late) && late.Timeout() && time.Now().Before(deadline) {
					break
				}
				return err
			}
			reply, ok := read(buffer[:count])
			if ok && reply.chunk == chunkInitAck && reply.to == asked.from && reply.tag == asked.initiation {
				socket.Write(write(packet{from: asked.from, to: asked.to, tag: reply.initiation, chunk: chunkAbort}))
				return nil
			}
		}
	}
}

func write(p packet) []byte {
	data := make([]byte, 12, 40)
	binary.BigEndian.PutUint16(data[0:], p.from)
	binary.BigEndian.PutUint16(data[2:], p.to)
	binary.BigEndian.PutUint32(data[4:], p.tag)
	chunk := make([]byte, 4, 28)
	chunk[0] = p.chunk
	if p.chunk != chunkAbort {
		chunk = binary.BigEndian.AppendUint32(chunk, p.initiation)
		chunk = binary.BigEndian.AppendUint32(chunk, 65536)
		chunk = binary.BigEndian.AppendUint16(chunk, 1)
		chunk = binary.BigEndian.AppendUint16(chunk, 1)
		chunk = binary.BigEndian.AppendUint32(chunk, p.initiation)
	}
	if p.chunk == chunkInitAck {
		// A state cookie, which an answer must have.
		chunk = append(chunk, 0, 7, 0, 8, 1, 2, 3, 4)
	}
	binary.BigEndian.PutUint16(chunk[2:], uint16(len(chunk)))
	data = append(data, chunk...)
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(data[8:], sum)
	return data
}

func read(data []byte) (packet, bool) {
	if len(data) < 16 {
		return packet{}, false
	}
	p := packet{
		from:  binary.BigEndian.Uint16(data[0:]),
		to:    binary.BigEndian.Uint16(data[2:]),
		tag:   binary.BigEndian.Uint32(data[4:]),
		chunk: data[12],
	}
	if len(data) >= 20 {
		p.initiation = binary.BigEndian.Uint32(data[16:])
	}
	return p, true
}
