// Command oracle answers CEL cases with Kubernetes' own libraries: it compiles, estimates, evaluates and prints what happened.
//
// Input: a JSON array of cases on stdin. Output: an array of their expressions with what came of them, one a line.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"
)

type testCase struct {
	Expr    string                     `json:"expr"`
	Version string                     `json:"version,omitempty"`
	With    []string                   `json:"with,omitempty"`
	Types   map[string]json.RawMessage `json:"types,omitempty"`
	Vars    map[string]any             `json:"vars,omitempty"`
	Limit   uint64                     `json:"limit,omitempty"`
}

type vector struct {
	Expr string  `json:"expr"`
	Want *answer `json:"want"`
}

type answer struct {
	Compile string `json:"compile,omitempty"`
	Type    string `json:"type,omitempty"`
	Min     string `json:"min,omitempty"`
	Max     string `json:"max,omitempty"`
	Program string `json:"program,omitempty"`
	Value   string `json:"value,omitempty"`
	Error   string `json:"error,omitempty"`
	Cost    string `json:"cost,omitempty"`
}

// declared is how a case writes a type: a name, or an object with list, map, object or max.
type declared struct {
	Name   string                     `json:"type"`
	List   json.RawMessage            `json:"list"`
	Map    json.RawMessage            `json:"map"`
	Object string                     `json:"object"`
	Fields map[string]json.RawMessage `json:"fields"`
	Max    int64                      `json:"max"`
}

func main() {
	var cases []testCase
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	if err := decoder.Decode(&cases); err != nil {
		panic(err)
	}
	fmt.Println("[")
	for i := range cases {
		result := vector{Expr: cases[i].Expr, Want: answerTo(&cases[i])}
		var line strings.Builder
		lineEncoder := json.NewEncoder(&line)
		lineEncoder.SetEscapeHTML(false)
		if err := lineEncoder.Encode(result); err != nil {
			panic(err)
		}
		text := strings.TrimSuffix(line.String(), "\n")
		if i < len(cases)-1 {
			text += ","
		}
		fmt.Println(text)
	}
	fmt.Println("]")
}

func answerTo(c *testCase) *answer {
	decls := map[string]*apiservercel.DeclType{}
	for name, raw := range c.Types {
		decls[name] = declTypeOf(raw)
	}
	env := environmentFor(c, decls)
	ast, issues := env.Compile(c.Expr)
	if issues != nil && issues.Err() != nil {
		return &answer{Compile: issues.String()}
	}
	want := &answer{Type: ast.OutputType().String()}
	estimate, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: sizes(decls)})
	if err != nil {
		panic(err)
	}
	want.Min, want.Max = strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)
	limit := c.Limit
	if limit == 0 {
		limit = 1000000
	}
	program, err := env.Program(ast, cel.CostLimit(limit))
	if err != nil {
		want.Program = err.Error()
		return want
	}
	activation := map[string]any{}
	for name, value := range c.Vars {
		activation[name] = valueOf(value, decls[name])
	}
	if _, ok := c.Types["authorizer"]; ok {
		activation["authorizer"] = library.NewAuthorizerVal(&user.DefaultInfo{Name: "alice"}, fakeAuthorizer{})
	}
	value, details, err := program.Eval(activation)
	if err != nil {
		want.Error = err.Error()
	} else {
		want.Value = show(value)
	}
	if details != nil && details.ActualCost() != nil {
		want.Cost = strconv.FormatUint(*details.ActualCost(), 10)
	}
	return want
}

func environmentFor(c *testCase, decls map[string]*apiservercel.DeclType) *cel.Env {
	ver := c.Version
	if ver == "" {
		ver = "1.36"
	}
	base := environment.MustBaseEnvSet(version.MustParseGeneric(ver))
	options := []cel.EnvOption{}
	declTypes := []*apiservercel.DeclType{}
	for name, decl := range decls {
		options = append(options, cel.Variable(name, decl.CelType()))
		declTypes = append(declTypes, decl)
	}
	for _, with := range c.With {
		switch with {
		case "bindings":
			options = append(options, ext.Bindings())
		case "mutation":
			options = append(options, common.ResolverEnvOption(&mutation.DynamicTypeResolver{}), library.JSONPatch())
		case "math":
			options = append(options, ext.Math())
		case "encoders":
			options = append(options, ext.Encoders())
		default:
			panic("unknown option " + with)
		}
	}
	extended, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options, DeclTypes: declTypes})
	if err != nil {
		panic(err)
	}
	env, err := extended.Env(environment.NewExpressions)
	if err != nil {
		panic(err)
	}
	return env
}

func declTypeOf(raw json.RawMessage) *apiservercel.DeclType {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return scalar(name, defaultMax(name))
	}
	var d declared
	if err := json.Unmarshal(raw, &d); err != nil {
		panic(err)
	}
	max := d.Max
	if max == 0 {
		max = 1<<63 - 1
	}
	switch {
	case d.Name != "":
		return scalar(d.Name, max)
	case d.List != nil:
		return apiservercel.NewListType(declTypeOf(d.List), max)
	case d.Map != nil:
		return apiservercel.NewMapType(apiservercel.StringType, declTypeOf(d.Map), max)
	}
	fields := map[string]*apiservercel.DeclField{}
	for field, fieldType := range d.Fields {
		fields[field] = apiservercel.NewDeclField(field, declTypeOf(fieldType), false, nil, nil)
	}
	return apiservercel.NewObjectType(d.Object, fields)
}

// defaultMax is what a case means when it sets no limit: strings and bytes have none, other scalars have no size.
func defaultMax(name string) int64 {
	if name == "string" || name == "bytes" {
		return 1<<63 - 1
	}
	return 0
}

func scalar(name string, max int64) *apiservercel.DeclType {
	known := map[string]*cel.Type{
		"int": cel.IntType, "uint": cel.UintType, "double": cel.DoubleType, "bool": cel.BoolType, "string": cel.StringType,
		"bytes": cel.BytesType, "duration": cel.DurationType, "timestamp": cel.TimestampType, "dyn": cel.DynType, "any": cel.AnyType,
		"null": cel.NullType, "authorizer": library.AuthorizerType,
	}
	t, ok := known[name]
	if !ok {
		panic("unknown type " + name)
	}
	decl := apiservercel.NewSimpleTypeWithMinSize(name, t, nil, 1)
	decl.MaxElements = max
	return decl
}

// valueOf turns JSON into what the type says; numbers without a type are int when they are whole.
func valueOf(value any, decl *apiservercel.DeclType) any {
	kind := ""
	if decl != nil {
		kind = decl.CelType().String()
	}
	switch v := value.(type) {
	case json.Number:
		return numberOf(v, kind)
	case string:
		return stringOf(v, kind)
	case []any:
		result := make([]any, len(v))
		for i, item := range v {
			var elem *apiservercel.DeclType
			if decl != nil {
				elem = decl.ElemType
			}
			result[i] = valueOf(item, elem)
		}
		return result
	case map[string]any:
		result := make(map[string]any, len(v))
		for key, item := range v {
			var elem *apiservercel.DeclType
			if decl != nil && decl.ElemType != nil {
				elem = decl.ElemType
			} else if decl != nil && decl.Fields[key] != nil {
				elem = decl.Fields[key].Type
			}
			result[key] = valueOf(item, elem)
		}
		return result
	}
	return value
}

func numberOf(v json.Number, kind string) any {
	switch kind {
	case "double":
		f, _ := v.Float64()
		return f
	case "uint":
		u, _ := strconv.ParseUint(v.String(), 10, 64)
		return u
	}
	if i, err := v.Int64(); err == nil {
		return i
	}
	f, _ := v.Float64()
	return f
}

func stringOf(v, kind string) any {
	switch kind {
	case "bytes":
		b, _ := base64.StdEncoding.DecodeString(v)
		return b
	case "google.protobuf.Duration":
		d, _ := time.ParseDuration(v)
		return d
	case "google.protobuf.Timestamp":
		t, _ := time.Parse(time.RFC3339, v)
		return t
	}
	return v
}

type sizes map[string]*apiservercel.DeclType

func (s sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	node := s[element.Path()[0]]
	for _, name := range element.Path()[1:] {
		if node == nil {
			return nil
		}
		switch name {
		case "@items", "@values":
			node = node.ElemType
		case "@keys":
			node = node.KeyType
		default:
			field, ok := node.Fields[name]
			if !ok {
				return nil
			}
			node = field.Type
		}
	}
	if node == nil {
		return nil
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(node.MaxElements)}
}

func (s sizes) EstimateCallCost(_, _ string, _ *checker.AstNode, _ []checker.AstNode) *checker.CallEstimate {
	return nil
}

// fakeAuthorizer allows what alice asks with the verb get, and answers with what it was asked.
type fakeAuthorizer struct{}

func (fakeAuthorizer) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	reason := fmt.Sprintf("%s %s group=%s resource=%s sub=%s ns=%s name=%s path=%s", a.GetUser().GetName(), a.GetVerb(), a.GetAPIGroup(),
		a.GetResource(), a.GetSubresource(), a.GetNamespace(), a.GetName(), a.GetPath())
	if a.GetVerb() == "fail" {
		return authorizer.DecisionNoOpinion, reason, fmt.Errorf("failed on purpose")
	}
	if a.GetVerb() == "get" {
		return authorizer.DecisionAllow, reason, nil
	}
	return authorizer.DecisionDeny, reason, nil
}

func show(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(v), 'g', -1, 64) + ")"
	case types.String:
		text, _ := json.Marshal(string(v))
		return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
	case types.Bytes:
		return "bytes(" + base64.StdEncoding.EncodeToString(v) + ")"
	case types.Duration:
		return "duration(" + strconv.FormatInt(int64(v.Duration), 10) + ")"
	case types.Timestamp:
		return "timestamp(" + v.Time.UTC().Format(time.RFC3339Nano) + ")"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none"
		}
		return "optional(" + show(v.GetValue()) + ")"
	case *dynamic.ObjectVal:
		return v.Type().TypeName() + showNative(v.Value())
	case *mutation.JSONPatchVal:
		text := fmt.Sprintf("JSONPatch(%s %s %s)", v.Op, v.Path, v.From)
		if v.Val != nil {
			text += show(v.Val)
		}
		return text
	case traits.Mapper:
		return showMap(v)
	case traits.Lister:
		return showList(v)
	case apiservercel.URL:
		return "url(" + v.URL.String() + ")"
	case apiservercel.Format:
		return "format(" + v.Name + ")"
	case apiservercel.Quantity:
		return "quantity(" + decimal(v.Quantity.AsDec().String()) + ")"
	case *apiservercel.Quantity:
		return "quantity(" + decimal(v.Quantity.AsDec().String()) + ")"
	case apiservercel.IP:
		return "ip(" + v.Addr.String() + ")"
	case apiservercel.CIDR:
		return "cidr(" + v.Prefix.String() + ")"
	case apiservercel.Semver:
		return "semver(" + v.Version.String() + ")"
	}
	return value.Type().TypeName()
}

func decimal(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func showNative(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

func showList(list traits.Lister) string {
	parts := []string{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		parts = append(parts, show(it.Next()))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func showMap(m traits.Mapper) string {
	parts := []string{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		parts = append(parts, show(key)+": "+show(m.Get(key)))
	}
	sort.Strings(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}
