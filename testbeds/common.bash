# SPDX-License-Identifier: BSD-3-Clause
# What the scripts of testbeds/ have in common; to be read by bash.

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Shows what a command said only if it fails.
quietly() {
	local log
	log=$(mktemp)
	if ! "$@" >"$log" 2>&1 </dev/null; then
		tail -n 40 "$log" >&2
		echo "failed: $* (all it said: $log)" >&2
		exit 1
	fi
	rm -f "$log"
}

# Installs the Debian packages that are missing, of those that building Roost needs and those that files list; and npm.
install_packages() {
	local packages package missing status daemon apt
	mapfile -t packages < <(
		# debhelper provides debhelper-compat.
		sed -n '/^Build-Depends:/,/^$/s/^ \([^ ,]*\).*/\1/p' testbeds/package/debian/control | sed 's/^debhelper-compat$/debhelper/'
		sed 's/#.*//; /^\s*$/d' "$@")
	apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
	missing=()
	for package in "${packages[@]}"; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=none
		[ "$status" = installed ] || missing+=("$package")
	done
	if [ ${#missing[@]} -gt 0 ]; then
		if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
			echo "Packages are missing. As root: apt-get update &&" \
				"apt-get install --no-install-recommends ${missing[*]}" >&2
			exit 1
		fi
		echo "installing ${missing[*]}" >&2
		quietly as_root "${apt[@]}" update
		quietly as_root "${apt[@]}" install --no-install-recommends "${missing[@]}"
	fi
	# Debian starts these, now and at every boot; testbeds and tests start daemons of their own.
	for daemon in frr lldpd prometheus; do
		if [[ " ${missing[*]} " != *" $daemon "* ]]; then
			continue
		fi
		if [ -d /run/systemd/system ]; then
			quietly as_root systemctl disable --now "$daemon"
		else
			as_root service "$daemon" stop >/dev/null 2>&1 || true	# which may not have been running
			quietly as_root update-rc.d "$daemon" disable
		fi
	done
	# Debian has npm as a package of its own; the nodejs of others contains it, and conflicts with that package.
	if ! command -v npm >/dev/null; then
		echo "installing npm" >&2
		quietly as_root "${apt[@]}" install --no-install-recommends npm
	fi
}
