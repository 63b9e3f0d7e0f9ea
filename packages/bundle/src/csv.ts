/** A ClusterServiceVersion: the description of an operator in its bundle. */
import type { Json } from "@capstan/model";

/** The fields of the document that are read here; decoding has checked their types. */
export interface Csv {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: CsvMeta;
  readonly spec?: CsvSpec;
}

/** Names, labels, annotations. */
export interface CsvMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

/** What the operator is and needs. */
export interface CsvSpec {
  readonly install?: InstallStrategy;
  readonly version?: string;
  readonly release?: string;
  readonly maturity?: string;
  readonly customresourcedefinitions?: {
    readonly owned?: readonly CrdDescription[];
    readonly required?: readonly CrdDescription[];
  };
  readonly apiservicedefinitions?: {
    readonly owned?: readonly ApiDescription[];
    readonly required?: readonly ApiDescription[];
  };
  readonly webhookdefinitions?: readonly WebhookDescription[];
  readonly minKubeVersion?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
  readonly provider?: { readonly name?: string; readonly url?: string };
  readonly links?: readonly { readonly name?: string; readonly url?: string }[];
  readonly icon?: readonly { readonly base64data?: string; readonly mediatype?: string }[];
  readonly installModes?: readonly { readonly type?: string; readonly supported?: boolean }[];
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly relatedImages?: readonly { readonly name?: string; readonly image?: string }[];
}

/** How the operator is put on a cluster. */
export interface InstallStrategy {
  readonly strategy?: string;
  readonly spec?: {
    readonly deployments?: readonly DeploymentDescription[];
    readonly permissions?: readonly Permission[];
    readonly clusterPermissions?: readonly Permission[];
  };
}

/** A Deployment of the operator. */
export interface DeploymentDescription {
  readonly name?: string;
  readonly label?: { readonly [key: string]: string };
  readonly spec?: {
    readonly template?: { readonly metadata?: Json; readonly spec?: PodSpec };
    readonly [field: string]: unknown;
  };
}

/** What is read of a pod. */
export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly initContainers?: readonly Container[];
  readonly containers?: readonly Container[];
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity };
  readonly securityContext?: { readonly runAsNonRoot?: boolean };
}

/** Which nodes a pod insists on. */
export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: readonly {
      readonly matchExpressions?: readonly {
        readonly key?: string;
        readonly operator?: string;
        readonly values?: readonly string[];
      }[];
    }[];
  };
}

/** What is read of a container. */
export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly env?: readonly { readonly name?: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
  readonly resources?: { readonly requests?: { readonly [resource: string]: Json } };
}

/** What a service account of the operator may do. */
export interface Permission {
  readonly serviceAccountName?: string;
  readonly rules?: readonly Rule[];
}

/** A rule of a role. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs?: readonly string[];
}

/** The description of a field of a kind. */
export interface Descriptor {
  readonly path?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly "x-descriptors"?: readonly string[];
}

/** The description of a kind. */
export interface CrdDescription {
  readonly name?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly resources?: readonly { readonly name?: string; readonly kind?: string; readonly version?: string }[];
  readonly specDescriptors?: readonly Descriptor[];
  readonly statusDescriptors?: readonly Descriptor[];
}

/** The description of a kind of an aggregated API. */
export interface ApiDescription {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
}

/** A webhook of the operator. */
export interface WebhookDescription {
  readonly generateName?: string;
  readonly type?: string;
  readonly deploymentName?: string;
  readonly containerPort?: number;
  readonly targetPort?: number | string;
  readonly rules?: readonly Json[];
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly admissionReviewVersions?: readonly string[];
  readonly webhookPath?: string;
  readonly conversionCRDs?: readonly string[];
}
