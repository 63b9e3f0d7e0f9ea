package main

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

var types = map[string]any{
	"io.k8s.api.apps.v1.Deployment": appsv1.Deployment{},
	"io.k8s.api.core.v1.Pod":        corev1.Pod{},
	"io.k8s.api.core.v1.Service":    corev1.Service{},
	"io.k8s.api.core.v1.ConfigMap":  corev1.ConfigMap{},
	"io.k8s.api.core.v1.Node":       corev1.Node{},
}

// applyStrategic merges as the server does: its lists have no spare room, which shows where the library writes into them.
func applyStrategic(document, patch []byte, schema strategicpatch.LookupPatchMeta) ([]byte, error) {
	var original, changes map[string]any
	if err := utiljson.Unmarshal(document, &original); err != nil {
		return nil, err
	}
	if err := utiljson.Unmarshal(patch, &changes); err != nil {
		return nil, err
	}
	original, changes = runtime.DeepCopyJSON(original), runtime.DeepCopyJSON(changes)
	result, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(original, changes, schema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

func (q *question) strategic() ([]byte, error) {
	object, known := types[q.Type]
	if !known {
		return nil, fmt.Errorf("unknown type %s", q.Type)
	}
	schema, err := strategicpatch.NewPatchMetaFromStruct(object)
	if err != nil {
		return nil, err
	}
	switch q.Kind {
	case "strategic":
		return applyStrategic(q.Document, q.Patch, schema)
	case "create-strategic":
		return strategicpatch.CreateTwoWayMergePatchUsingLookupPatchMeta(q.Original, q.Modified, schema)
	default:
		var overwrite bool
		if err := json.Unmarshal(q.Patch, &overwrite); err != nil {
			return nil, err
		}
		return strategicpatch.CreateThreeWayMergePatch(q.Original, q.Modified, q.Current, schema, overwrite)
	}
}
