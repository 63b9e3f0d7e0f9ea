# Runs the program that the launcher is named after: from the sources in a checkout, from the build where it is installed.
package=$(dirname -- "$here")
node=$package/../../node_modules/.bin/node
case $package in
*/node_modules/*) exec node --max-semi-space-size=1 --heap-growing-percent=100 "$package/dist/launch/main.js" "$(basename -- "$0")" "$@" ;;
esac
[ -x "$node" ] || node=node
exec "$node" --max-semi-space-size=1 --heap-growing-percent=100 --conditions=@capstan/source --disable-warning=ExperimentalWarning "$package/src/launch/main.ts" "$(basename -- "$0")" "$@"
