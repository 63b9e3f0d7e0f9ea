/** What Kubernetes objects are. */
export {};
