// The commands of agnhost that suites of policies use, and no others: the whole program takes ten times as long
// to start, and a suite starts it a hundred thousand times.
package main

import (
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/kubernetes/test/images/agnhost/connect"
	"k8s.io/kubernetes/test/images/agnhost/netexec"
	"k8s.io/kubernetes/test/images/agnhost/pause"
	"k8s.io/kubernetes/test/images/agnhost/porter"
	servehostname "k8s.io/kubernetes/test/images/agnhost/serve-hostname"
)

// The number of SCTP in IP packets.
const sctp = 132

func main() {
	root := &cobra.Command{Use: "agnhost"}
	root.AddCommand(
		connect.CmdConnect,
		netexec.CmdNetexec,
		pause.CmdPause,
		porter.CmdPorter,
		servehostname.CmdServeHostname,
	)
	leaveOutSCTP()
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}

// porter ends when it cannot serve SCTP, and pods of suites that try it among others would never be ready on
// kernels without it.
func leaveOutSCTP() {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, sctp)
	if err == nil {
		syscall.Close(socket)
		return
	}
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "SERVE_SCTP_PORT_") {
			os.Unsetenv(name)
		}
	}
}
