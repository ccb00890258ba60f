// Evaluates expressions with genuine Kubernetes code. Reads a JSON object per line and answers each with one:
// `{"expression": …, "self": …}` in the plain environment with a dynamic variable, or
// `{"schema": …, "object": …, "old": …}` with the rules of a custom resource's schema.
// `main vectors FOLDER` prints the expressions of CEL's own tests instead.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	test "cel.dev/expr/conformance/test"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/encoding/prototext"
	"gopkg.in/inf.v0"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/api/resource"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"

	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
)

type question struct {
	Expression string          `json:"expression"`
	Self       json.RawMessage `json:"self"`
	Schema     json.RawMessage `json:"schema"`
	Object     json.RawMessage `json:"object"`
	Old        json.RawMessage `json:"old"`
}

type answer struct {
	Expression string   `json:"expression,omitempty"`
	Issues     string   `json:"issues,omitempty"`
	Type       string   `json:"type,omitempty"`
	Estimate   string   `json:"estimate,omitempty"`
	Value      any      `json:"value,omitempty"`
	Error      string   `json:"error,omitempty"`
	Cost       string   `json:"cost,omitempty"`
	Errors     []string `json:"errors,omitempty"`
	Rules      []string `json:"rules,omitempty"`
}

var base = environment.MustBaseEnvSet(version.MajorMinor(1, 36))

func main() {
	out := json.NewEncoder(os.Stdout)
	if len(os.Args) > 2 && os.Args[1] == "vectors" {
		for _, expression := range vectors(os.Args[2]) {
			out.Encode(question{Expression: expression})
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		q := question{}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if q.Schema != nil {
			out.Encode(rules(q))
		} else {
			out.Encode(evaluate(q))
		}
	}
}

func vectors(folder string) []string {
	files, _ := filepath.Glob(filepath.Join(folder, "*.textproto"))
	found := []string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		file := &test.SimpleTestFile{}
		if err := (prototext.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, file); err != nil {
			continue
		}
		for _, section := range file.GetSection() {
			for _, one := range section.GetTest() {
				if len(one.GetTypeEnv()) == 0 && len(one.GetBindings()) == 0 && one.GetContainer() == "" {
					found = append(found, one.GetExpr())
				}
			}
		}
	}
	return found
}

func evaluate(q question) (a answer) {
	a.Expression = q.Expression
	defer func() {
		if r := recover(); r != nil {
			a.Error = fmt.Sprint("panic: ", r)
		}
	}()
	envs, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		panic(err)
	}
	env := envs.NewExpressionsEnv()
	ast, issues := env.Compile(q.Expression)
	if issues != nil {
		a.Issues = issues.String()
		return
	}
	a.Type = ast.OutputType().String()
	estimate, err := env.EstimateCost(ast, &library.CostEstimator{})
	if err != nil {
		panic(err)
	}
	a.Estimate = fmt.Sprintf("%d-%d", estimate.Min, estimate.Max)
	program, err := env.Program(ast, cel.CostTracking(&library.CostEstimator{}))
	if err != nil {
		a.Issues = "program: " + err.Error()
		return
	}
	var self any
	if q.Self != nil {
		if err := utiljson.Unmarshal(q.Self, &self); err != nil {
			panic(err)
		}
	}
	value, details, err := program.Eval(map[string]any{"self": self})
	if details != nil && details.ActualCost() != nil {
		a.Cost = strconv.FormatUint(*details.ActualCost(), 10)
	}
	if err != nil {
		a.Error = err.Error()
		return
	}
	a.Value = render(value)
	return
}

func render(value ref.Val) any {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return bool(v)
	case types.Int:
		return fmt.Sprintf("int %d", int64(v))
	case types.Uint:
		return fmt.Sprintf("uint %d", uint64(v))
	case types.Double:
		return "double " + strconv.FormatFloat(float64(v), 'g', -1, 64)
	case types.String:
		return "string " + string(v)
	case types.Bytes:
		return fmt.Sprintf("bytes %x", []byte(v))
	case types.Timestamp:
		return fmt.Sprintf("timestamp %d.%09d", v.Unix(), v.Nanosecond())
	case types.Duration:
		return fmt.Sprintf("duration %d", int64(v.Duration))
	case *types.Type:
		return "type " + v.TypeName()
	case *types.Optional:
		if v.HasValue() {
			return map[string]any{"optional": render(v.GetValue())}
		}
		return "optional none"
	case traits.Lister:
		list := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			list = append(list, render(it.Next()))
		}
		return list
	case traits.Mapper:
		entries := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			text, _ := json.Marshal([]any{render(key), render(v.Get(key))})
			entries = append(entries, string(text))
		}
		sort.Strings(entries)
		return map[string]any{"map": entries}
	case apiservercel.Quantity:
		return "quantity " + nanos(v.Quantity)
	case *apiservercel.Quantity:
		return "quantity " + nanos(v.Quantity)
	case apiservercel.IP:
		return "ip " + v.Addr.String()
	case apiservercel.CIDR:
		return "cidr " + v.Prefix.String()
	case apiservercel.URL:
		return "url " + v.URL.String()
	case apiservercel.Semver:
		return "semver " + v.Version.String()
	}
	return value.Type().TypeName()
}

// The amount in billionths.
func nanos(q *resource.Quantity) string {
	scaled := new(inf.Dec).Mul(q.AsDec(), inf.NewDec(1000000000, 0))
	return new(inf.Dec).Round(scaled, 0, inf.RoundUp).String()
}

func rules(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a.Error = fmt.Sprint("panic: ", r)
		}
	}()
	v1 := apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(q.Schema, &v1); err != nil {
		panic(err)
	}
	props := apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
		panic(err)
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		a.Error = err.Error()
		return
	}
	describe(structural, model.SchemaDeclType(structural, true), "", &a)
	validator := schemacel.NewValidator(structural, true, celconfig.PerCallLimit)
	if q.Object == nil || validator == nil {
		return
	}
	var object, old any
	utiljson.Unmarshal(q.Object, &object)
	options := []schemacel.Option{}
	if q.Old != nil {
		utiljson.Unmarshal(q.Old, &old)
		options = append(options, schemacel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})))
	}
	errs, remaining := validator.Validate(context.Background(), field.NewPath("root"), structural, object, old, celconfig.RuntimeCELCostBudget, options...)
	for _, each := range errs {
		a.Errors = append(a.Errors, each.Error())
	}
	a.Cost = strconv.FormatInt(remaining, 10)
	return
}

func describe(s *schema.Structural, t *apiservercel.DeclType, path string, a *answer) {
	results, err := schemacel.Compile(s, t, celconfig.PerCallLimit, base, schemacel.NewExpressionsEnvLoader())
	if err != nil {
		a.Rules = append(a.Rules, path+" error "+err.Error())
	}
	for _, r := range results {
		text := fmt.Sprintf("%s cost %d cardinality %d old %v", path, r.MaxCost, r.MaxCardinality, r.UsesOldSelf)
		if r.Error != nil {
			text = path + " error " + r.Error.Error()
		} else if r.MessageExpressionError != nil {
			text += " message error " + r.MessageExpressionError.Error()
		} else if r.MessageExpression != nil {
			text += fmt.Sprintf(" message %d", r.MessageExpressionMaxCost)
		}
		a.Rules = append(a.Rules, text)
	}
	if t == nil {
		return
	}
	if s.Items != nil {
		describe(s.Items, t.ElemType, path+"[]", a)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		describe(s.AdditionalProperties.Structural, t.ElemType, path+"{}", a)
	}
	names := []string{}
	for name := range s.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		property := s.Properties[name]
		escaped, _ := apiservercel.Escape(name)
		if f, ok := t.Fields[escaped]; ok {
			describe(&property, f.Type, path+"."+name, a)
		}
	}
}
