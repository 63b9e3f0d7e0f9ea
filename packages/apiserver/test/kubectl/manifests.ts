/** The manifest files for kubectl, by name. */

const deployment = (image: string, replicas = "replicas"): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: $NS, labels: {x: "1"}}
spec:
  ${replicas}: 1
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec: {containers: [{name: c, image: "${image}", ports: [{containerPort: 80}]}]}
`;

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sprockets.$NS.example.com}
spec:
  group: $NS.example.com
  scope: Namespaced
  names: {plural: sprockets, singular: sprocket, kind: Sprocket, shortNames: [spr]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        description: A wheel
        properties:
          spec:
            type: object
            description: What is wanted
            required: [size]
            properties: {size: {type: integer, minimum: 0, description: How large}, tags: {type: array, items: {type: string}}}
          status: {type: object, properties: {size: {type: integer}}}
`;

const sprocket = (size: string): string => `apiVersion: $NS.example.com/v1
kind: Sprocket
metadata: {name: w, namespace: $NS}
spec: {size: ${size}, tags: [a]}
`;

const prunable = (name: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: $NS, labels: {pruned: "yes"}}
`;

/** `$NS` stands for the namespace of the run. */
export const manifests: Readonly<Record<string, string>> = {
  "config-map.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: $NS, labels: {x: "1"}}
data: {k: v}
`,
  "deployment.yaml": deployment("i:1"),
  "deployment-2.yaml": deployment("i:2"),
  "deployment-bad.yaml": deployment("i:1", "replica"),
  "definition.yaml": definition,
  "kustomization.yaml": "resources: [pruning.yaml, pruned.yaml]\nnameSuffix: -of-kustomize\n",
  "pruning.yaml": prunable("stays"),
  "pruned.yaml": prunable("goes"),
  "path.txt": "{.metadata.name}: {.data.k}",
  "columns.txt": "NAME VALUE\nmetadata.name data.k\n",
  "template.txt": "{{range $key, $value := .data}}{{$key}} is {{$value}}{{end}}\n",
  "sprocket.yaml": sprocket("1"),
  "sprocket-2.yaml": sprocket("2"),
  "sprocket-bad.yaml": sprocket("-1"),
};
