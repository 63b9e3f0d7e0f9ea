// Package envtest shows a test suite with envtest on the embedded API server: only KUBEBUILDER_ASSETS differs.
package envtest

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestObjectsAreStored(t *testing.T) {
	environment := &envtest.Environment{}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	settings := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "settings"},
		Data:       map[string]string{"size": "3"},
	}
	if err := api.Create(ctx, settings); err != nil {
		t.Fatal(err)
	}
	found := &corev1.ConfigMap{}
	if err := api.Get(ctx, client.ObjectKeyFromObject(settings), found); err != nil {
		t.Fatal(err)
	}
	if found.Data["size"] != "3" {
		t.Errorf("size is %q", found.Data["size"])
	}
}
