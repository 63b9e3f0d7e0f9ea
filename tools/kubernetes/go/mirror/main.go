// An operator written with controller-runtime: a ConfigMap with the label mirror=deployment becomes a Deployment of as many pods as it says, and
// is told how many of them are ready. It uses what such operators use: leader election, a cache, owner references, events and conflicts.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

type mirror struct {
	client.Client
	image string
}

func (m *mirror) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var source corev1.ConfigMap
	if err := m.Get(ctx, request.NamespacedName, &source); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if source.Labels["mirror"] != "deployment" {
		return ctrl.Result{}, nil
	}
	size, err := strconv.Atoi(source.Data["size"])
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("size of %s: %w", request, err)
	}
	deployment := appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: source.Namespace, Name: source.Name}}
	_, err = controllerutil.CreateOrUpdate(ctx, m.Client, &deployment, func() error {
		replicas, labels := int32(size), map[string]string{"mirror-of": source.Name}
		deployment.Spec.Replicas = &replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		if len(deployment.Spec.Template.Spec.Containers) == 0 {
			deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: m.image, Command: []string{"sleep", "100000"}}}
		}
		return controllerutil.SetControllerReference(&source, &deployment, m.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	ready := strconv.Itoa(int(deployment.Status.ReadyReplicas))
	if source.Annotations["ready"] == ready {
		return ctrl.Result{}, nil
	}
	before := source.DeepCopy()
	if source.Annotations == nil {
		source.Annotations = map[string]string{}
	}
	source.Annotations["ready"] = ready
	return ctrl.Result{}, m.Patch(ctx, &source, client.MergeFrom(before))
}

func main() {
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "mirror",
		LeaderElectionNamespace: "default",
	})
	exitOn(err)
	err = ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}).
		Owns(&appsv1.Deployment{}).
		WithEventFilter(predicate.ResourceVersionChangedPredicate{}).
		Complete(&mirror{Client: manager.GetClient(), image: os.Args[1]})
	exitOn(err)
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
