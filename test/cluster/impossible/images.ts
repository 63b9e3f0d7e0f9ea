/** Images that cannot be pulled. */
import { busybox, runs, shell, staying, waits, type Requests } from "./request.ts";

/** Pods with these images; the registry has none of them. */
export function imageRequests(registry: string): Requests {
  const pulling = (image: string): Requests[string] => ({
    spec: staying({ image }),
    until: waits("ImagePullBackOff"),
  });
  return {
    "image-no-registry": pulling("registry.capstan.invalid/none:1"),
    "image-no-tag": pulling(`${registry}/app:none`),
    "image-no-login": pulling(`${registry}/private:1`),
    "image-not-allowed": pulling(`${registry}/forbidden:1`),
    "image-broken-registry": pulling(`${registry}/broken:1`),
    "image-other-platform": pulling(`${registry}/foreign:1`),
    "image-unreadable": { spec: staying({ image: "Not/Valid!" }), until: waits("InvalidImageName") },
    "image-upper-case": { spec: staying({ image: "capstan.test/UPPER:1" }), until: waits("InvalidImageName") },
    "image-never": {
      spec: staying({ image: "capstan.test/none:2", imagePullPolicy: "Never" }),
      until: waits("ErrImageNeverPull"),
    },
    "image-of-init": {
      spec: {
        ...staying(),
        initContainers: [shell("true", { name: "init", image: "registry.capstan.invalid/none:3" })],
      },
      until: waits("ImagePullBackOff"),
    },
    "image-no-secret": { spec: staying({ image: busybox }, { imagePullSecrets: [{ name: "none" }] }), until: runs() },
  };
}
