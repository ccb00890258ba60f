// The commands of agnhost that suites of policies use, and no others: the whole program takes ten times as long
// to start, and a suite starts it a hundred thousand times.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/kubernetes/test/images/agnhost/netexec"
	"k8s.io/kubernetes/test/images/agnhost/pause"
	"k8s.io/kubernetes/test/images/agnhost/porter"
	servehostname "k8s.io/kubernetes/test/images/agnhost/serve-hostname"
)

func main() {
	if isWorker() {
		if err := runWorker(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	root := &cobra.Command{Use: "agnhost"}
	root.AddCommand(
		connectCommand(),
		netexec.CmdNetexec,
		pause.CmdPause,
		porter.CmdPorter,
		servehostname.CmdServeHostname,
	)
	if !kernelSpeaksSCTP() {
		serveSCTP()
	}
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}
