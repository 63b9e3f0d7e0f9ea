// Prints the fields of the types of a Deployment, in their order, with how they are written as JSON.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
)

var seen = map[string][]string{}

func name(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Ptr:
		return "*" + name(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return ""
		}
		return "[]" + name(t.Elem())
	case reflect.Map:
		return "{}" + name(t.Elem())
	case reflect.Struct:
		n := t.Name()
		if n == "Quantity" || n == "IntOrString" || n == "Time" || n == "FieldsV1" {
			return n
		}
		walk(t)
		return n
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	default:
		return "number"
	}
}

func fields(t reflect.Type) []string {
	out := []string{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		parts := strings.Split(tag, ",")
		inline := f.Anonymous && parts[0] == ""
		if inline {
			out = append(out, fields(f.Type)...)
			continue
		}
		flag := "!"
		for _, p := range parts[1:] {
			if p == "omitempty" {
				flag = ""
			}
			if p == "omitzero" {
				flag = "?"
			}
		}
		out = append(out, parts[0]+flag+":"+name(f.Type))
	}
	return out
}

func walk(t reflect.Type) {
	if _, ok := seen[t.Name()]; ok {
		return
	}
	seen[t.Name()] = nil
	seen[t.Name()] = fields(t)
}

func main() {
	walk(reflect.TypeOf(appsv1.DeploymentSpec{}))
	json.NewEncoder(os.Stdout).Encode(seen)
}
