/** The labels and annotations of ClusterExtensions, their revisions and their objects. */
/** The label of a ClusterCatalog with its own name, by which a selector finds one. */
export const catalogNameLabel = "olm.operatorframework.io/metadata.name";
export const ownerKindLabel = "olm.operatorframework.io/owner-kind";
export const ownerNameLabel = "olm.operatorframework.io/owner-name";
export const revisionNameLabel = "olm.operatorframework.io/revision-name";
export const packageNameAnnotation = "olm.operatorframework.io/package-name";
export const bundleNameAnnotation = "olm.operatorframework.io/bundle-name";
export const bundleVersionAnnotation = "olm.operatorframework.io/bundle-version";
export const bundleReleaseAnnotation = "olm.operatorframework.io/bundle-release";
export const bundleReferenceAnnotation = "olm.operatorframework.io/bundle-reference";
/** The annotation of a revision with the digest of its phases, by which a change is found. */
export const phasesDigestAnnotation = "lifecycle.capstan.dev/phases-digest";
/** The annotation of a revision that was rolled back, with the generation of its extension then. */
export const rolledBackAnnotation = "lifecycle.capstan.dev/rolled-back";
/** The annotation of a CRD that was kept when its ClusterExtension was uninstalled, with the name of the extension, which may have it back. */
export const releasedAnnotation = "lifecycle.capstan.dev/released-by";
