/** Writes a project, changes it and upgrades it, and makes manifests from what a program declares. */
