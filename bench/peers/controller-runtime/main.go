// The controller of the benchmark, written with controller-runtime: a Widget applies one ConfigMap and sets its status.
package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type WidgetSpec struct {
	Size int32 `json:"size"`
}

type WidgetStatus struct {
	Size               int32 `json:"size,omitempty"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *Widget) DeepCopyObject() runtime.Object {
	out := *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]Widget, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *(l.Items[i].DeepCopyObject().(*Widget))
	}
	return &out
}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.Get(ctx, req.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	size := strconv.Itoa(int(widget.Spec.Size))
	var made corev1.ConfigMap
	err := r.Get(ctx, req.NamespacedName, &made)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if err != nil || made.Data["size"] != size {
		owner := metav1ac.OwnerReference().WithAPIVersion("bench.example.com/v1").WithKind("Widget").WithName(widget.Name).
			WithUID(widget.UID).WithController(true).WithBlockOwnerDeletion(true)
		desired := corev1ac.ConfigMap(widget.Name, widget.Namespace).WithOwnerReferences(owner).WithData(map[string]string{"size": size})
		if err := r.Apply(ctx, desired, client.FieldOwner("widget"), client.ForceOwnership); err != nil {
			return ctrl.Result{}, err
		}
	}
	if widget.Status.Size == widget.Spec.Size && widget.Status.ObservedGeneration == widget.Generation {
		return ctrl.Result{}, nil
	}
	patch, err := json.Marshal(map[string]any{"status": WidgetStatus{Size: widget.Spec.Size, ObservedGeneration: widget.Generation}})
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Patch(ctx, &widget, client.RawPatch("application/merge-patch+json", patch))
}

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr), zap.Level(zapErrorLevel{})))
	scheme := runtime.NewScheme()
	must(corev1.AddToScheme(scheme))
	group := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme.AddKnownTypes(group, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, group)
	config := ctrl.GetConfigOrDie()
	options := ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}}
	if slices.Contains(os.Args, "--read-your-writes") {
		yes := true
		options.Client.Cache = &client.CacheOptions{EnableReadYourWritesConsistency: &yes}
	}
	manager, err := ctrl.NewManager(config, options)
	must(err)
	must(ctrl.NewControllerManagedBy(manager).For(&Widget{}).Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 16}).Complete(&reconciler{manager.GetClient()}))
	must(manager.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
