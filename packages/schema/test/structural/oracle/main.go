// The oracle answers, one JSON line a question, what the Kubernetes Go packages say about schemas, objects and printing.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/util/jsonpath"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

type question struct {
	Op       string                                        `json:"op"`
	CRD      json.RawMessage                               `json:"crd"`
	OldCRD   json.RawMessage                               `json:"oldCrd"`
	Schema   *v1.JSONSchemaProps                           `json:"schema"`
	Object   json.RawMessage                               `json:"object"`
	Old      json.RawMessage                               `json:"old"`
	Template string                                        `json:"template"`
	Missing  bool                                          `json:"allowMissing"`
	Columns  []v1.CustomResourceColumnDefinition           `json:"columns"`
	Format   string                                        `json:"format"`
	Value    string                                        `json:"value"`
	Version  string                                        `json:"version"`
	V2       bool                                          `json:"v2"`
	Scale    *apiextensions.CustomResourceSubresourceScale `json:"scale"`
}

type problem struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Detail  string `json:"detail"`
	Message string `json:"message"`
}

var scheme = runtime.NewScheme()

func problems(list field.ErrorList) []problem {
	out := []problem{}
	for _, e := range list {
		out = append(out, problem{string(e.Type), e.Field, e.Detail, e.Error()})
	}
	return out
}

func readCRD(raw json.RawMessage) (*apiextensions.CustomResourceDefinition, *v1.CustomResourceDefinition) {
	external := &v1.CustomResourceDefinition{}
	must(json.Unmarshal(raw, external))
	scheme.Default(external)
	internal := &apiextensions.CustomResourceDefinition{}
	must(scheme.Convert(external, internal, nil))
	return internal, external
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func answerCRD(q question) any {
	ctx := context.Background()
	crd, _ := readCRD(q.CRD)
	strategy := customresourcedefinition.NewStrategy(scheme)
	if len(q.OldCRD) == 0 {
		strategy.PrepareForCreate(ctx, crd)
		return map[string]any{"errors": problems(crdvalidation.ValidateCustomResourceDefinition(ctx, crd)), "warnings": strategy.WarningsOnCreate(ctx, crd)}
	}
	old, _ := readCRD(q.OldCRD)
	strategy.PrepareForUpdate(ctx, crd, old)
	return map[string]any{"errors": problems(crdvalidation.ValidateCustomResourceDefinitionUpdate(ctx, crd, old)), "warnings": strategy.WarningsOnUpdate(ctx, crd, old)}
}

var kind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

func answerObject(q question) any {
	ctx := context.Background()
	internal := &apiextensions.JSONSchemaProps{}
	must(v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(q.Schema, internal, nil))
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return map[string]any{"schemaError": err.Error()}
	}
	structural = structural.Unfold()
	answer := map[string]any{"structural": problems(structuralschema.ValidateStructural(nil, structural))}
	object, unknown, coercion := coerce(q.Object, structural)
	answer["unknown"] = unknown
	if coercion != nil {
		answer["coercion"] = problems(field.ErrorList{coercion})
		return answer
	}
	answer["object"] = object
	validator, _, err := validation.NewSchemaValidator(internal)
	must(err)
	strategy := customresource.NewStrategy(scheme, true, kind, validator, nil, structural, nil, q.Scale, nil)
	if len(q.Old) == 0 {
		answer["errors"] = problems(strategy.Validate(ctx, &unstructured.Unstructured{Object: object}))
		return answer
	}
	old, _, coercion := coerce(q.Old, structural)
	if coercion != nil {
		return map[string]any{"oldCoercion": true}
	}
	answer["errors"] = problems(strategy.ValidateUpdate(ctx, &unstructured.Unstructured{Object: object}, &unstructured.Unstructured{Object: old}))
	return answer
}

func coerce(raw json.RawMessage, structural *structuralschema.Structural) (map[string]any, []string, *field.Error) {
	object := map[string]any{}
	must(utiljson.Unmarshal(raw, &object))
	unknown := pruning.PruneWithOptions(object, structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	err, more := objectmeta.CoerceWithOptions(nil, object, structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	defaulting.Default(object, structural)
	unknown = append(unknown, more...)
	sort.Strings(unknown)
	return object, unknown, nil
}

func answerPath(q question) any {
	path := jsonpath.New("x").AllowMissingKeys(q.Missing)
	if err := path.Parse(q.Template); err != nil {
		return map[string]any{"error": err.Error()}
	}
	var data any
	must(utiljson.Unmarshal(q.Object, &data))
	var out bytes.Buffer
	if err := path.Execute(&out, data); err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"text": out.String()}
}

func answerTable(q question) any {
	convertor, err := tableconvertor.New(q.Columns)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	object := map[string]any{}
	must(utiljson.Unmarshal(q.Object, &object))
	table, err := convertor.ConvertToTable(context.Background(), &unstructured.Unstructured{Object: object}, &metav1.TableOptions{})
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"columns": table.ColumnDefinitions, "cells": table.Rows[0].Cells}
}

func answerOpenAPI(q question) any {
	_, crd := readCRD(q.CRD)
	if q.V2 {
		document, err := builder.BuildOpenAPIV2(crd, q.Version, builder.Options{V2: true, IncludeSelectableFields: true})
		must(err)
		document.Definitions = handler.PruneDefaults(document.Definitions)
		return published(document.Definitions)
	}
	document, err := builder.BuildOpenAPIV3(crd, q.Version, builder.Options{V2: false, IncludeSelectableFields: true})
	must(err)
	return published(document.Components.Schemas)
}

// published keeps the schemas of the resource itself.
func published[T any](schemas map[string]T) any {
	own := map[string]T{}
	for name, schema := range schemas {
		if !strings.HasPrefix(name, "io.k8s.") {
			own[name] = schema
		}
	}
	return map[string]any{"schemas": own}
}

func answer(q question) (result any) {
	defer func() {
		if r := recover(); r != nil {
			result = map[string]any{"panic": fmt.Sprint(r)}
		}
	}()
	switch q.Op {
	case "crd":
		return answerCRD(q)
	case "object":
		return answerObject(q)
	case "path":
		return answerPath(q)
	case "table":
		return answerTable(q)
	case "format":
		return map[string]any{"valid": strfmt.Default.Validates(q.Format, q.Value)}
	case "openapi":
		return answerOpenAPI(q)
	}
	return map[string]any{"panic": "no such op " + q.Op}
}

func main() {
	install.Install(scheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	in := bufio.NewReaderSize(os.Stdin, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var q question
		must(decoder.Decode(&q))
		encoded, err := json.Marshal(answer(q))
		must(err)
		out.Write(encoded)
		out.WriteByte('\n')
		out.Flush()
	}
}
