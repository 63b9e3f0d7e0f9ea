/** The documents that describe an image. */

/** Points at a blob: media type, digest and size. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: { readonly [key: string]: string };
  readonly artifactType?: string;
}

/** The platform of an image. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** An index of images, one for each platform. */
export interface Index {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly manifests: readonly Descriptor[];
  readonly annotations?: { readonly [key: string]: string };
}

/** One image: its configuration and its layers, lowest first. */
export interface Manifest {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly artifactType?: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly subject?: Descriptor;
  readonly annotations?: { readonly [key: string]: string };
}

/** The configuration to run an image with. */
export interface ImageConfig extends Platform {
  readonly created?: string;
  readonly author?: string;
  readonly config?: {
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly ExposedPorts?: { readonly [port: string]: object };
    readonly Volumes?: { readonly [path: string]: object } | null;
    readonly Labels?: { readonly [key: string]: string };
    readonly StopSignal?: string;
  };
  readonly rootfs: { readonly type: "layers"; readonly diff_ids: readonly string[] };
  readonly history?: readonly {
    readonly created?: string;
    readonly created_by?: string;
    readonly empty_layer?: boolean;
    readonly comment?: string;
  }[];
}

/** The platform of this machine in OCI's terms. */
export function platformOf({ platform, arch }: { readonly platform: string; readonly arch: string }): Platform {
  const architecture: { readonly [arch: string]: string } = {
    x64: "amd64",
    arm64: "arm64",
    arm: "arm",
    ia32: "386",
    ppc64: "ppc64le",
    s390x: "s390x",
  };
  return { os: platform, architecture: architecture[arch] ?? arch };
}
