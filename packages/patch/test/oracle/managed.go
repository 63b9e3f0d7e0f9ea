package main

import (
	"encoding/json"
	"errors"
	"os"
	"sort"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A step is one request to one object; the answer to a question with steps is a list with the object after each.
type step struct {
	Operation   string         `json:"operation"`
	Manager     string         `json:"manager"`
	Force       bool           `json:"force,omitempty"`
	Subresource string         `json:"subresource,omitempty"`
	Schema      string         `json:"schema,omitempty"`
	Object      map[string]any `json:"object"`
}

type stepAnswer struct {
	Object map[string]any       `json:"object,omitempty"`
	Error  string               `json:"error,omitempty"`
	Causes []metav1.StatusCause `json:"causes,omitempty"`
	// What each manager applied, taken from the object.
	Extracted map[string]any `json:"extracted,omitempty"`
}

var converters = map[string]managedfields.TypeConverter{}

// converterFor reads OpenAPI definitions from a file beside the questions.
func converterFor(path string) (managedfields.TypeConverter, error) {
	if known, ok := converters[path]; ok {
		return known, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	definitions := map[string]*spec.Schema{}
	if err := json.Unmarshal(data, &definitions); err != nil {
		return nil, err
	}
	converter, err := managedfields.NewTypeConverter(definitions, false)
	converters[path] = converter
	return converter, err
}

// versions converts between v1 and v2 of the test kind: what v1 calls size, v2 calls replicas.
type versions struct{}

func (versions) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	target := gv.(schema.GroupVersion)
	object := in.(*unstructured.Unstructured).DeepCopy()
	from := object.GroupVersionKind().GroupVersion()
	if from == target {
		return object, nil
	}
	if target.Version != "v1" && target.Version != "v2" {
		return nil, runtime.NewNotRegisteredErrForKind("oracle", target.WithKind(object.GetKind()))
	}
	names := [2]string{"size", "replicas"}
	if target.Version == "v1" {
		names = [2]string{"replicas", "size"}
	}
	if body, ok := object.Object["spec"].(map[string]any); ok {
		if value, has := body[names[0]]; has {
			delete(body, names[0])
			body[names[1]] = value
		}
	}
	object.SetAPIVersion(target.String())
	return object, nil
}

func (versions) Convert(_, _, _ any) error { return errors.New("not used") }

func (versions) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (versions) Default(runtime.Object) {}

func (versions) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(kind)
	return object, nil
}

// schemaOf is the schema of a step: its own when the schema changes during a story.
func schemaOf(q *question, s step) string {
	if s.Schema != "" {
		return s.Schema
	}
	return q.Schema
}

// extract takes what each manager applied from the object.
func extract(converter managedfields.TypeConverter, object *unstructured.Unstructured) (map[string]any, error) {
	extracted := map[string]any{}
	value, err := converter.ObjectToTyped(object, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	for _, entry := range object.GetManagedFields() {
		if entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" {
			continue
		}
		set := &fieldpath.Set{}
		if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return nil, err
		}
		extracted[entry.Manager] = value.ExtractItems(set.Leaves()).AsValue().Unstructured()
	}
	return extracted, nil
}

func managerFor(schemaFile string, object *unstructured.Unstructured, subresource string) (*managedfields.FieldManager, managedfields.TypeConverter, error) {
	converter := managedfields.NewDeducedTypeConverter()
	if schemaFile != "" {
		var err error
		if converter, err = converterFor(schemaFile); err != nil {
			return nil, nil, err
		}
	}
	kind := object.GroupVersionKind()
	version := fieldpath.APIVersion(kind.GroupVersion().String())
	reset := fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	if subresource == "status" {
		reset = fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata"))
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{version: fieldpath.NewExcludeSetFilter(reset)}
	hub := schema.GroupVersion{Group: kind.Group, Version: "v1"}
	manager, err := managedfields.NewDefaultCRDFieldManager(converter, versions{}, versions{}, versions{}, kind, hub, subresource, filters)
	return manager, converter, err
}

func runSteps(q *question) any {
	var live *unstructured.Unstructured
	answers := []stepAnswer{}
	for index, s := range q.Steps {
		next, err := runStep(q, live, s)
		if err != nil {
			answers = append(answers, failed(err))
			continue
		}
		live = next
		live.SetUID("stored")
		setTimes(live, index)
		answers = append(answers, stepAnswer{Object: live.DeepCopy().Object, Extracted: extracted(q, s, live)})
	}
	return answers
}

func extracted(q *question, s step, live *unstructured.Unstructured) map[string]any {
	_, converter, err := managerFor(schemaOf(q, s), live, "")
	if err != nil {
		panic(err)
	}
	found, err := extract(converter, live)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return found
}

func runStep(q *question, live *unstructured.Unstructured, s step) (*unstructured.Unstructured, error) {
	incoming := (&unstructured.Unstructured{Object: s.Object}).DeepCopy()
	manager, _, err := managerFor(schemaOf(q, s), incoming, s.Subresource)
	if err != nil {
		return nil, err
	}
	var current runtime.Object
	if live == nil {
		current, _ = versions{}.New(incoming.GroupVersionKind())
	} else if current, err = (versions{}).ConvertToVersion(live, incoming.GroupVersionKind().GroupVersion()); err != nil {
		return nil, err
	}
	var result runtime.Object
	if s.Operation == "Apply" {
		result, err = manager.Apply(current, incoming, s.Manager, s.Force)
	} else {
		result = manager.UpdateNoErrors(current, incoming, s.Manager)
	}
	if err != nil {
		return nil, err
	}
	// What is applied comes back in the version that is stored; the answer is in the version of the request.
	served, err := versions{}.ConvertToVersion(result, incoming.GroupVersionKind().GroupVersion())
	if err != nil {
		return nil, err
	}
	return served.(*unstructured.Unstructured), nil
}

// failed sorts causes, and the lines of the message follow: the library lists them in the order of a Go map.
func failed(err error) stepAnswer {
	out := stepAnswer{Error: err.Error()}
	if status, ok := err.(*apierrors.StatusError); ok && status.ErrStatus.Details != nil {
		out.Causes = status.ErrStatus.Details.Causes
		sort.SliceStable(out.Causes, func(i, j int) bool {
			return strings.Compare(out.Causes[i].Message+out.Causes[i].Field, out.Causes[j].Message+out.Causes[j].Field) < 0
		})
	}
	return out
}

// setTimes gives the entries that were written just now the time of the step: every step takes a second.
func setTimes(object *unstructured.Unstructured, index int) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	entries := object.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.After(start.Add(time.Hour)) {
			entries[i].Time = &metav1.Time{Time: start.Add(time.Duration(index) * time.Second)}
		}
	}
	if entries != nil {
		object.SetManagedFields(entries)
	}
}
