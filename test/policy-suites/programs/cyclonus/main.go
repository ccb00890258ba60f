// All cases of cyclonus's generator, each probed in batches: one exec for each pod instead of one for each
// connection. The command line of cyclonus does not offer that, nor does it fail when a case does.
//
//	cyclonus-batches PROTOCOL,… [TAG,…]
//
// FROM=41 and TO=58 in the environment choose the 41st to the 58th case, to go on with a run that was broken off.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mattfenwick/cyclonus/pkg/connectivity"
	"github.com/mattfenwick/cyclonus/pkg/connectivity/probe"
	"github.com/mattfenwick/cyclonus/pkg/generator"
	"github.com/mattfenwick/cyclonus/pkg/kube"
	"github.com/mattfenwick/cyclonus/pkg/utils"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
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
	// A case sends sixty requests to the API, which takes ten seconds at client-go's five a second.
	client.RestConfig.QPS, client.RestConfig.Burst = 500, 500
	client.ClientSet, err = kubernetes.NewForConfig(client.RestConfig)
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
	failed, repeated := 0, 0
	from, to := number("FROM", 1), number("TO", len(cases))
	for i := from - 1; i < to; i++ {
		one := cases[i]
		begin := time.Now()
		result := interpreter.ExecuteTestCase(one)
		printer.PrintTestCaseResult(result)
		verdict := "passed"
		if result.Err != nil || !result.Passed(true) {
			verdict = "failed"
			failed++
		}
		if again := secondProbes(result); again > 0 {
			verdict += fmt.Sprintf(" with %d second probes", again)
			repeated++
		}
		fmt.Printf("case %d of %d %s in %.1f s: %s\n", i+1, len(cases), verdict, time.Since(begin).Seconds(), one.Description)
	}
	printer.PrintSummary()
	tried := to - from + 1
	fmt.Printf("cyclonus: %d of %d cases passed, %d of all were probed twice\n", tried-failed, tried, repeated)
	if failed > 0 {
		os.Exit(1)
	}
}

func number(variable string, usual int) int {
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	given, err := strconv.Atoi(text)
	utils.DoOrDie(err)
	return given
}

// How many steps of a case were probed again, since the first probe was not as policies say.
func secondProbes(result *connectivity.Result) int {
	count := 0
	for _, step := range result.Steps {
		if len(step.KubeProbes) > 1 {
			count++
		}
	}
	return count
}
