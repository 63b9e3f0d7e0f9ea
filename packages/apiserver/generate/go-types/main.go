// Writes what Go knows about the built-in API types and OpenAPI does not say: the order of fields, which zero values are written, and
// the names that Go's JSON decoder uses in its complaints. Run inside a module that requires k8s.io/kubernetes, with the served groups
// and versions as arguments; prints JSON.
package main

import (
	"encoding/json"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime/schema"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
)

// Types with an UnmarshalJSON of their own; the table says which rule reads them.
var custom = map[string]string{
	"Time": "time", "MicroTime": "microTime", "Duration": "duration", "Quantity": "quantity", "IntOrString": "intOrString",
	"RawExtension": "raw", "FieldsV1": "fields", "JSON": "json", "JSONSchemaPropsOrBool": "schemaOrBool",
	"JSONSchemaPropsOrArray": "schemaOrArray", "JSONSchemaPropsOrStringArray": "schemaOrStrings",
}

type table struct {
	// By name: fields as [json name, type, flags]; flags: 1 omitempty, 2 omitzero.
	Types map[string][][3]any `json:"types"`
	// By group/version: kind to type.
	Kinds map[string]map[string]string `json:"kinds"`
}

var out = table{Types: map[string][][3]any{}, Kinds: map[string]map[string]string{}}
var unmarshaler = reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()

func main() {
	scheme := legacyscheme.Scheme
	apiextensions.Install(scheme)
	aggregator.Install(scheme)
	for gvk, t := range scheme.AllKnownTypes() {
		if !slices.Contains(os.Args[1:], gvk.GroupVersion().String()) || strings.Contains(t.PkgPath(), "kubernetes/pkg/apis") {
			continue
		}
		addKind(gvk, t)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		panic(err)
	}
}

func addKind(gvk schema.GroupVersionKind, t reflect.Type) {
	gv := gvk.GroupVersion().String()
	if out.Kinds[gv] == nil {
		out.Kinds[gv] = map[string]string{}
	}
	out.Kinds[gv][gvk.Kind] = addStruct(t)
}

// A name that is unique over all packages: the last folders of the package, then the type.
func nameOf(t reflect.Type) string {
	dir, version := path.Split(t.PkgPath())
	return path.Base(dir) + "/" + version + "." + t.Name()
}

func addStruct(t reflect.Type) string {
	name := nameOf(t)
	if _, done := out.Types[name]; done {
		return name
	}
	out.Types[name] = nil
	out.Types[name] = fieldsOf(t)
	return name
}

func fieldsOf(t reflect.Type) [][3]any {
	fields := [][3]any{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		parts := strings.Split(f.Tag.Get("json"), ",")
		if parts[0] == "-" || f.PkgPath != "" && !f.Anonymous {
			continue
		}
		if f.Anonymous && parts[0] == "" {
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			fields = append(fields, fieldsOf(embedded)...)
			continue
		}
		flags := 0
		for _, option := range parts[1:] {
			switch option {
			case "omitempty":
				flags |= 1
			case "omitzero":
				flags |= 2
			}
		}
		fields = append(fields, [3]any{parts[0], typeOf(f.Type), flags})
	}
	return fields
}

// How a type is written: `*` pointer, `[name]` list, `{name}` map, `@` struct, else a scalar. `name` is what Go calls the type where
// that does not follow from its parts: `{v1.ResourceList}quantity`, `string=v1.Protocol`.
func typeOf(t reflect.Type) string {
	if rule, ok := custom[t.Name()]; ok && reflect.PointerTo(t).Implements(unmarshaler) {
		return rule
	}
	named := ""
	if t.Name() != "" && t.PkgPath() != "" {
		named = t.String()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[" + named + "]" + typeOf(t.Elem())
	case reflect.Map:
		if named == "" && t.Key().String() != "string" {
			named = t.String()
		}
		return "{" + named + "}" + typeOf(t.Elem())
	case reflect.Struct:
		return "@" + addStruct(t)
	case reflect.Interface:
		return "any"
	default:
		if named != "" {
			return t.Kind().String() + "=" + named
		}
		return t.Kind().String()
	}
}
