/** The objects of a scorecard test: the bundle in ConfigMaps, the test in a Pod. Pure. */
import type { BundleFiles, TestConfig } from "@capstan/bundle";
import type { Sent } from "@capstan/client";
import type { ConfigMap, Container, Pod, VolumeMount } from "@capstan/kinds/v1";
import { CliError } from "../errors.ts";

/** Options for the pods of tests. */
export interface PodOptions {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly security: "legacy" | "restricted";
  readonly storageImage: string;
  /** The name of this run, which all its objects carry. */
  readonly run: string;
}

/** A part of the bundle: files by key, because paths are not valid keys. */
export interface BundlePart {
  readonly name: string;
  readonly files: readonly { readonly key: string; readonly path: string; readonly base64: string }[];
}

/** A ConfigMap may have 1 MiB, including the overhead of base64. */
const maxPart = 700 * 1024;

/** Splits a bundle into parts that fit into ConfigMaps. */
export function partsOf(files: BundleFiles, run: string): BundlePart[] {
  const parts: { name: string; size: number; files: BundlePart["files"][number][] }[] = [];
  let at = 0;
  for (const [path, bytes] of files) {
    if (bytes.length > maxPart)
      throw new CliError(
        "BadInput",
        `${path} has ${bytes.length} bytes; no ConfigMap holds it, so it cannot be handed to a test`,
      );
    let part = parts.at(-1);
    if (part === undefined || part.size + bytes.length > maxPart)
      parts.push((part = { name: `${run}-${parts.length}`, size: 0, files: [] }));
    part.size += bytes.length;
    part.files.push({ key: `file-${at++}`, path, base64: Buffer.from(bytes).toString("base64") });
  }
  return parts;
}

/** A part as a ConfigMap. */
export function configMapOf(
  { name, files }: BundlePart,
  { namespace, run }: PodOptions,
): Sent<ConfigMap, "Namespaced"> {
  return {
    metadata: { name, namespace, labels: labelsOf(run) },
    binaryData: Object.fromEntries(files.map(({ key, base64 }) => [key, base64])),
  };
}

function labelsOf(run: string): { readonly [key: string]: string } {
  return { app: "scorecard-test", testrun: run };
}

/** The pod of a test. The bundle is mounted at /bundle, as test images expect. */
export function podOf(test: TestConfig, parts: readonly BundlePart[], options: PodOptions): Sent<Pod, "Namespaced"> {
  const { namespace, serviceAccount, security, run } = options;
  const { storagePath } = test;
  const restricted = security === "restricted";
  const containerSecurity = {
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  };
  const storageMount = { name: "scorecard-storage", mountPath: storagePath ?? "" };
  return {
    metadata: { generateName: `${run}-`, namespace, labels: labelsOf(run) },
    spec: {
      serviceAccountName: serviceAccount,
      restartPolicy: "Never",
      ...(restricted ? { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } } : {}),
      containers: [
        {
          name: "scorecard-test",
          image: test.image,
          imagePullPolicy: "IfNotPresent",
          ...(test.entrypoint.length > 0 ? { command: [...test.entrypoint] } : {}),
          env: [
            { name: "SCORECARD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
            ...(storagePath === undefined ? [] : [{ name: "SCORECARD_STORAGE", value: storagePath }]),
          ],
          volumeMounts: [
            { name: "scorecard-bundle", mountPath: "/bundle", readOnly: true },
            ...(storagePath === undefined ? [] : [storageMount]),
          ],
          ...(restricted ? { securityContext: containerSecurity } : {}),
        },
        ...(storagePath === undefined ? [] : [gatherer(options.storageImage, { ...storageMount, readOnly: true })]),
      ],
      volumes: [
        {
          name: "scorecard-bundle",
          projected: {
            sources: parts.map(({ name, files }) => ({
              configMap: { name, items: files.map(({ key, path }) => ({ key, path })) },
            })),
          },
        },
        ...(storagePath === undefined ? [] : [{ name: "scorecard-storage", emptyDir: {} }]),
      ],
    },
  };
}

/** Runs beside the test, so that its files can be fetched. */
function gatherer(image: string, mount: VolumeMount): Container {
  return { name: "scorecard-gather", image, command: ["/bin/sh", "-c", "sleep 1000"], volumeMounts: [mount] };
}
