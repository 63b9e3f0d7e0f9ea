//! The controller of the benchmark, written with kube-rs: a Widget applies one ConfigMap and sets its status.
use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{Patch, PatchParams},
    runtime::{
        WatchStreamExt,
        controller::{Action, Config, Controller},
        reflector::{self, ObjectRef, Store},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "bench.example.com", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
struct WidgetSpec {
    size: i32,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct WidgetStatus {
    size: Option<i32>,
    observed_generation: Option<i64>,
}

struct Context {
    client: Client,
    maps: Store<ConfigMap>,
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Error(#[from] kube::Error);

async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, Error> {
    let name = widget.name_any();
    let namespace = widget.namespace().unwrap_or_default();
    let size = widget.spec.size.to_string();
    let made = context.maps.get(&ObjectRef::new(&name).within(&namespace));
    let is_right = made.is_some_and(|map| map.data.as_ref().is_some_and(|data| data.get("size") == Some(&size)));
    if !is_right {
        let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &namespace);
        let desired = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "name": name, "namespace": namespace, "ownerReferences": [widget.controller_owner_ref(&())] },
            "data": { "size": size },
        });
        maps.patch(&name, &PatchParams::apply("widget").force(), &Patch::Apply(&desired)).await?;
    }
    let status = WidgetStatus { size: Some(widget.spec.size), observed_generation: widget.meta().generation };
    if widget.status.as_ref() != Some(&status) {
        let widgets: Api<Widget> = Api::namespaced(context.client.clone(), &namespace);
        widgets.patch_status(&name, &PatchParams::default(), &Patch::Merge(json!({ "status": status }))).await?;
    }
    Ok(Action::await_change())
}

fn on_error(_: Arc<Widget>, _: &Error, _: Arc<Context>) -> Action {
    Action::requeue(Duration::from_secs(1))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let (maps, writer) = reflector::store();
    let owned = watcher(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .touched_objects();
    Controller::new(Api::<Widget>::all(client.clone()), watcher::Config::default())
        .owns_stream(owned)
        .with_config(Config::default().concurrency(16))
        .shutdown_on_signal()
        .run(reconcile, on_error, Arc::new(Context { client, maps }))
        .for_each(|_| std::future::ready(()))
        .await;
    Ok(())
}
