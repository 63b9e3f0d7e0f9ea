/** The kubectl commands, in order: every verb that does not need a node. `$NS` stands for the namespace of the run. */

/** One command per line; words are split at spaces, and single quotes group them. */
export const commands: readonly string[] = `
create namespace $NS
create -f config-map.yaml
create -f config-map.yaml
create -f deployment-bad.yaml
apply -f deployment-bad.yaml
apply -f deployment-bad.yaml --validate=warn
delete -f deployment.yaml
apply -f config-map.yaml
apply -f deployment.yaml
diff -f deployment-2.yaml
apply -f deployment-2.yaml
apply -f deployment-2.yaml
apply view-last-applied -n $NS deploy/d
apply --server-side -f deployment.yaml
apply --server-side --field-manager=other -f deployment-2.yaml
apply --server-side --force-conflicts --field-manager=other -f deployment-2.yaml
apply --server-side --dry-run=server -f deployment.yaml --force-conflicts
diff --server-side --force-conflicts -f deployment.yaml
get deploy -n $NS
get deploy -n $NS -o wide
get deploy,cm -n $NS -o name
get deploy d -n $NS -o yaml --show-managed-fields
get deploy d -n $NS -o json
get deploy d -n $NS -o jsonpath='{.spec.replicas}'
get deploy d -n $NS -o custom-columns=N:.metadata.name,R:.spec.replicas
get deploy d -n $NS -o go-template='{{.metadata.name}}'
get cm a -n $NS -o kyaml
get cm a -n $NS -o jsonpath-as-json='{.data}'
get cm a -n $NS -o jsonpath-file=path.txt
get cm a -n $NS -o custom-columns-file=columns.txt
get cm a -n $NS -o go-template-file=template.txt
get cm a -n $NS -o nosuch
get cm -n $NS --show-labels -L x
get cm -n $NS --sort-by=.metadata.name --no-headers
get cm -n $NS -l x=1
get cm -n $NS --field-selector metadata.name=a
get cm -n $NS --chunk-size=1
get cm -n $NS --output-watch-events --watch-only --request-timeout=1s
get nosuch
get cm nosuch -n $NS
describe deploy d -n $NS
describe cm a -n $NS
label cm a -n $NS y=2
label cm a -n $NS y=3
label cm a -n $NS y=3 --overwrite
label cm a -n $NS y-
label cm -n $NS --all z=1 --resource-version=1
annotate deploy d -n $NS note=hi
annotate deploy d -n $NS note=ho
annotate deploy d -n $NS note=ho --overwrite
annotate deploy d -n $NS note-
annotate deploy d -n $NS --list
patch cm a -n $NS -p '{"data":{"k":"w"}}'
patch cm a -n $NS --type=json -p '[{"op":"add","path":"/data/z","value":"1"}]'
patch cm a -n $NS --type=json -p '[{"op":"test","path":"/data/z","value":"2"}]'
patch cm a -n $NS --type=merge -p '{"data":{"z":null}}'
patch cm a -n $NS -p '{"data":{"k":1}}'
patch deploy d -n $NS --subresource=status --type=merge -p '{"status":{"observedGeneration":1}}'
replace -f config-map.yaml
replace --force -f config-map.yaml
apply set-last-applied -f config-map.yaml --create-annotation
apply -k .
apply --prune --prune-allowlist=core/v1/ConfigMap -l pruned=yes -n $NS -f pruning.yaml
get cm -n $NS -l pruned=yes
edit cm a -n $NS
get cm a -n $NS -o jsonpath='{.data}'
set image -n $NS deploy/d c=i:3
set env -n $NS deploy/d A=b
set resources -n $NS deploy/d --limits=cpu=1
set serviceaccount -n $NS deploy/d acc
set selector -n $NS deploy/d a=b
scale deploy d -n $NS --replicas=3
scale deploy d -n $NS --replicas=2 --current-replicas=7
get deploy d -n $NS --subresource=scale -o jsonpath='{.spec}'
rollout history deploy/d -n $NS
rollout pause deploy/d -n $NS
rollout pause deploy/d -n $NS
rollout resume deploy/d -n $NS
rollout status deploy/d -n $NS --timeout=1s
rollout undo deploy/d -n $NS
rollout restart deploy/d -n $NS
autoscale deploy d -n $NS --min=1 --max=3 --name=hpa
get hpa -n $NS
expose deploy d -n $NS --port=80 --cluster-ip=None
run p -n $NS --image=i --dry-run=client -o yaml
create deployment e -n $NS --image=i:1 --replicas=2
create deployment e -n $NS --image=i:1 --dry-run=server -o name
create configmap c2 -n $NS --from-literal=a=b
create secret generic s -n $NS --from-literal=a=b
create secret tls t -n $NS --cert=nosuch --key=nosuch
create serviceaccount acc -n $NS
create role r -n $NS --verb=get --resource=pods
create rolebinding rb -n $NS --role=r --serviceaccount=$NS:acc
create job j -n $NS --image=i -- echo
create cronjob cj -n $NS --image=i --schedule='* * * * *'
create job j2 -n $NS --from=cronjob/cj
create quota q -n $NS --hard=pods=3
create ingress ing -n $NS --rule=a.b/c=svc:80
create poddisruptionbudget pdb -n $NS --selector=app=d --min-available=1
create priorityclass $NS --value=5
create service clusterip svc -n $NS --clusterip=None --tcp=80
create clusterrole $NS --verb=get,list --resource=pods,deployments.apps
create clusterrolebinding $NS --clusterrole=$NS --user=$NS-user --group=$NS-group
create service nodeport np -n $NS --tcp=80:8080 --node-port=31234
create service externalname en -n $NS --external-name=example.com
create service loadbalancer lb -n $NS --tcp=80
get service np -n $NS -o jsonpath='{.spec.type} {.spec.ports}'
delete service np lb -n $NS
create token acc -n $NS --duration=10m -o jsonpath='{.kind}'
get deploy,job,cronjob,rolebinding,sa,secret,quota,ing,pdb,svc -n $NS
get priorityclass $NS
auth can-i create pods
auth can-i --list -n $NS --as=system:serviceaccount:$NS:acc
auth can-i get pods -n $NS --as=system:serviceaccount:$NS:acc
auth can-i delete pods -n $NS --as=system:serviceaccount:$NS:acc
get pods -n $NS --as=system:serviceaccount:$NS:acc
get secrets -n $NS --as=system:serviceaccount:$NS:acc
auth can-i list deployments.apps -n $NS --as=$NS-user
auth can-i delete deployments.apps -n $NS --as=$NS-user
auth can-i get pods --subresource=log --as=$NS-user
auth whoami --as=alice --as-group=dev
auth reconcile -f config-map.yaml
api-resources --api-group=apps
api-resources --api-group= --namespaced=false
api-resources --api-group=batch -o wide
api-resources --verbs=deletecollection --api-group=rbac.authorization.k8s.io
api-versions
version
cluster-info
explain deploy.spec.strategy.nosuch
explain deploy.spec.strategy
explain cronjob.spec --api-version=batch/v1
explain hpa.spec.metrics --api-version=autoscaling/v2 --recursive
explain configmap --output=plaintext-openapiv2
explain nosuch
apply -f definition.yaml
wait --for=condition=Established crd/sprockets.$NS.example.com --timeout=10s
apply -f sprocket-bad.yaml
apply -f sprocket.yaml
apply -f sprocket-2.yaml
apply --server-side -f sprocket.yaml
get spr -n $NS
describe sprocket w -n $NS
explain sprocket.spec --api-version=$NS.example.com/v1
explain sprocket --recursive --api-version=$NS.example.com/v1
scale sprocket w -n $NS --replicas=5
get spr w -n $NS -o jsonpath='{.spec.size}'
patch sprocket w -n $NS --type=merge -p '{"spec":{"size":"x"}}'
patch sprocket w -n $NS -p '{"spec":{"size":1}}'
patch sprocket w -n $NS --subresource=status --type=merge -p '{"status":{"size":4}}'
api-resources --api-group=$NS.example.com
delete sprocket w -n $NS
delete crd sprockets.$NS.example.com
wait --for=jsonpath='{.data.k}'=edited cm/a -n $NS --timeout=5s
wait --for=condition=Available deploy/d -n $NS --timeout=1s
wait --for=create cm/a -n $NS --timeout=1s
delete cm a -n $NS --dry-run=server
delete deploy e -n $NS --cascade=orphan --wait=false
get deploy e -n $NS -o jsonpath='{.metadata.finalizers}'
delete deploy d -n $NS --cascade=foreground --wait=false
get deploy d -n $NS -o jsonpath='{.metadata.finalizers}'
patch deploy d -n $NS --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'
wait --for=delete deploy/d -n $NS --timeout=5s
delete secret s -n $NS --cascade=background
delete secret s -n $NS
delete secret s -n $NS --ignore-not-found
delete cm --all -n $NS
delete priorityclass $NS
get all -n $NS
delete service -n $NS --all
delete job,cronjob -n $NS --all --cascade=background
delete rolebinding,role -n $NS -l nosuch=yes
delete clusterrole,clusterrolebinding $NS
top pods -n $NS
top nodes
events -n $NS
get --raw /readyz
get --raw /version/nosuch
get --raw /apis/nosuch
get events -n $NS
certificate approve nosuch
taint node nosuch a=b:NoSchedule
cordon nosuch
drain nosuch
logs nosuch -n $NS
exec nosuch -n $NS -- ls
attach nosuch -n $NS
port-forward nosuch -n $NS 1:1
cp nosuch:/a /tmp/nosuch -n $NS
debug nosuch -n $NS --image=i
`
  .trim()
  .split("\n");

/** The words of a command. */
export function wordsOf(command: string): string[] {
  const words = command.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'/g, "$1"));
}
