/** Structs that Go embeds in others: in JSON their fields belong to the outer struct, but Go's errors name the embedded struct. */

interface Embedding {
  /** The embedded structs, from the outside in. */
  readonly through: string;
  readonly holds: (field: string) => boolean;
}

const only =
  (...fields: readonly string[]) =>
  (field: string) =>
    fields.includes(field);
const allBut =
  (...fields: readonly string[]) =>
  (field: string) =>
    !fields.includes(field);

const reference: readonly Embedding[] = [{ through: "LocalObjectReference", holds: only("name") }];
const configuration: readonly Embedding[] = [{ through: "DeviceConfiguration", holds: only("opaque") }];
const volumeFields = [
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName",
];

/** By struct. */
const embeddings: { readonly [struct: string]: readonly Embedding[] } = {
  "core/v1.Volume": [{ through: "VolumeSource", holds: allBut("name") }],
  "core/v1.PersistentVolumeSpec": [{ through: "PersistentVolumeSource", holds: allBut(...volumeFields) }],
  "core/v1.Probe": [{ through: "ProbeHandler", holds: only("exec", "httpGet", "tcpSocket", "grpc") }],
  "core/v1.EphemeralContainer": [{ through: "EphemeralContainerCommon", holds: allBut("targetContainerName") }],
  "core/v1.SecretProjection": reference,
  "core/v1.ConfigMapVolumeSource": reference,
  "core/v1.ConfigMapProjection": reference,
  "core/v1.ConfigMapEnvSource": reference,
  "core/v1.SecretEnvSource": reference,
  "core/v1.ConfigMapKeySelector": reference,
  "core/v1.SecretKeySelector": reference,
  "networking/v1.IngressRule": [{ through: "IngressRuleValue", holds: only("http") }],
  "admissionregistration/v1.RuleWithOperations": [{ through: "Rule", holds: allBut("operations") }],
  "admissionregistration/v1.NamedRuleWithOperations": [
    { through: "RuleWithOperations", holds: only("operations") },
    { through: "RuleWithOperations.Rule", holds: allBut("operations", "resourceNames") },
  ],
  "resource/v1.DeviceClassConfiguration": configuration,
  "resource/v1.DeviceClaimConfiguration": configuration,
  "resource/v1.DeviceAllocationConfiguration": configuration,
};

/** The name of a field in Go's errors: its name, after the embedded structs that contain it. */
export function goFieldName(struct: string, field: string): string {
  const found = embeddings[struct]?.find(({ holds }) => holds(field));
  return found === undefined ? field : `${found.through}.${field}`;
}
