// Writes how kube-apiserver keeps objects of the core group, claims of devices and the flow of requests: the fields of its internal types with Go's names, beside the names that clients use.
// Its messages show values in this form. Run inside a module that requires k8s.io/kubernetes; prints JSON.
package main

import (
	"encoding/json"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/flowcontrol"
	"k8s.io/kubernetes/pkg/apis/resource"
)

var pairs = [][2]any{
	{core.Pod{}, v1.Pod{}}, {core.PersistentVolume{}, v1.PersistentVolume{}}, {core.Service{}, v1.Service{}}, {core.Node{}, v1.Node{}},
	{core.PersistentVolumeClaim{}, v1.PersistentVolumeClaim{}}, {core.PersistentVolumeSource{}, v1.PersistentVolumeSource{}},
	{core.ResourceQuota{}, v1.ResourceQuota{}}, {core.Endpoints{}, v1.Endpoints{}},
	{resource.ResourceClaimSpec{}, resourcev1.ResourceClaimSpec{}}, {resource.AllocationResult{}, resourcev1.AllocationResult{}},
	{flowcontrol.FlowSchemaSpec{}, flowcontrolv1.FlowSchemaSpec{}},
	{flowcontrol.PriorityLevelConfigurationSpec{}, flowcontrolv1.PriorityLevelConfigurationSpec{}},
}

// The groups whose types are written out; those of others are shown as they are.
var groups = []string{"core", "resource", "flowcontrol"}

// By type: fields as [Go name, JSON name of v1 or "" where v1 has it elsewhere, type].
var types = map[string][][3]string{}

func main() {
	for _, pair := range pairs {
		addStruct(reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1]))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(types); err != nil {
		panic(err)
	}
}

func addStruct(internal, external reflect.Type) {
	if _, known := types[internal.Name()]; known {
		return
	}
	types[internal.Name()] = nil
	fields := [][3]string{}
	collect(internal, external, &fields)
	types[internal.Name()] = fields
}

// Embedded structs are written as if their fields stood here.
func collect(internal, external reflect.Type, fields *[][3]string) {
	for i := range internal.NumField() {
		field := internal.Field(i)
		if field.Tag.Get("json") != "" && field.Anonymous {
			continue
		}
		var other reflect.Type
		name := ""
		if external != nil {
			if twin, found := external.FieldByName(field.Name); found {
				other = twin.Type
				name = strings.Split(twin.Tag.Get("json"), ",")[0]
			}
		}
		if field.Anonymous && field.Type.Kind() == reflect.Struct && !strings.Contains(field.Type.PkgPath(), "meta/v1") {
			collect(field.Type, other, fields)
			continue
		}
		if field.Name == "TypeMeta" || field.Name == "ObjectMeta" {
			continue
		}
		*fields = append(*fields, [3]string{field.Name, name, describe(field.Type, other)})
	}
}

func elem(t reflect.Type) reflect.Type {
	if t == nil || (t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice && t.Kind() != reflect.Map) {
		return t
	}
	return t.Elem()
}

func describe(t, other reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + describe(t.Elem(), elem(other))
	case reflect.Slice:
		return "[]" + describe(t.Elem(), elem(other))
	case reflect.Map:
		return "{}" + describe(t.Elem(), elem(other))
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Struct:
		switch t.Name() {
		case "Quantity":
			return "quantity"
		case "Time", "MicroTime":
			return "time"
		case "IntOrString":
			return "intOrString"
		case "RawExtension":
			return "raw"
		}
		if !slices.Contains(groups, path.Base(t.PkgPath())) {
			return "as-is"
		}
		addStruct(t, other)
		return "@" + t.Name()
	default:
		return "number"
	}
}
