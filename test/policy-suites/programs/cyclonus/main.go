// All cases of cyclonus's generator, each probed in batches: one exec for each pod instead of one for each
// connection. The command line of cyclonus does not offer that, nor does it fail when a case does.
//
//	cyclonus-batches PROTOCOL,… [TAG,…]
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/mattfenwick/cyclonus/pkg/connectivity"
	"github.com/mattfenwick/cyclonus/pkg/connectivity/probe"
	"github.com/mattfenwick/cyclonus/pkg/generator"
	"github.com/mattfenwick/cyclonus/pkg/kube"
	"github.com/mattfenwick/cyclonus/pkg/utils"
	v1 "k8s.io/api/core/v1"
)

var (
	namespaces = []string{"x", "y", "z"}
	pods       = []string{"a", "b", "c"}
	ports      = []int{80, 81}
)

func main() {
	var protocols []v1.Protocol
	for _, name := range strings.Split(os.Args[1], ",") {
		protocols = append(protocols, v1.Protocol(name))
	}
	var include []string
	if len(os.Args) > 2 {
		include = strings.Split(os.Args[2], ",")
	}
	client, err := kube.NewKubernetesForContext("")
	utils.DoOrDie(err)
	resources, err := probe.NewDefaultResources(client, namespaces, pods, ports, protocols, nil, 120, true, "")
	utils.DoOrDie(err)
	interpreter := connectivity.NewInterpreter(client, resources, &connectivity.InterpreterConfig{
		ResetClusterBeforeTestCase:       true,
		KubeProbeRetries:                 1,
		PerturbationWaitSeconds:          1,
		VerifyClusterStateBeforeTestCase: true,
		BatchJobs:                        true,
		IgnoreLoopback:                   true,
		JobTimeoutSeconds:                1,
	})
	last, err := resources.GetPod("z", "c")
	utils.DoOrDie(err)
	cases := generator.NewTestCaseGenerator(true, last.IP, namespaces, include, nil).GenerateTestCases()
	// A pod always reaches itself, which no rule could deny: such packets do not leave it.
	printer := &connectivity.Printer{IgnoreLoopback: true}
	failed := 0
	for i, one := range cases {
		result := interpreter.ExecuteTestCase(one)
		utils.DoOrDie(result.Err)
		printer.PrintTestCaseResult(result)
		verdict := "passed"
		if !result.Passed(true) {
			verdict = "failed"
			failed++
		}
		fmt.Printf("case %d of %d %s: %s\n", i+1, len(cases), verdict, one.Description)
	}
	printer.PrintSummary()
	fmt.Printf("cyclonus: %d of %d cases passed\n", len(cases)-failed, len(cases))
	if failed > 0 {
		os.Exit(1)
	}
}
