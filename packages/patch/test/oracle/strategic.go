package main

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

var types = map[string]any{
	"io.k8s.api.apps.v1.Deployment": appsv1.Deployment{},
	"io.k8s.api.core.v1.Pod":        corev1.Pod{},
	"io.k8s.api.core.v1.Service":    corev1.Service{},
	"io.k8s.api.core.v1.ConfigMap":  corev1.ConfigMap{},
	"io.k8s.api.core.v1.Node":       corev1.Node{},
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
		return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(q.Document, q.Patch, schema)
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
