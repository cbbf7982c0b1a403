//! Programs that no command may start, by kind, each kind with its reason and the way that works.

/// One kind of program.
struct Kind {
    names: &'static str,
    /// Beginnings of names that belong to the kind as well.
    beginnings: &'static str,
    because: &'static str,
    instead: &'static str,
}

/// The kind of a program that is known by these names, if it is closed: reason and way.
pub(super) fn reason(names: &[String]) -> Option<(&'static str, &'static str)> {
    let belongs = |kind: &&Kind| names.iter().any(|name| kind.holds(name));
    KINDS.iter().find(belongs).map(|kind| (kind.because, kind.instead))
}

impl Kind {
    fn holds(&self, name: &str) -> bool {
        self.names.split_whitespace().any(|known| known == name)
            || self.beginnings.split_whitespace().any(|beginning| name.starts_with(beginning))
    }
}

const KINDS: &[Kind] = &[
    Kind {
        names: "sh ash bash dash hush zsh ksh ksh88 ksh93 mksh lksh pdksh oksh yash posh rc es csh tcsh fish nu elvish \
                ion xonsh osh ysh oil pwsh powershell cmd rbash rksh rzsh rssh scponly lshell sash bsh jsh psh scsh \
                esh eshell git-shell dtksh wsh sh-dash static-sh busybox toybox coreutils nologin",
        beginnings: "bash- busybox- busybox. ksh- zsh-",
        because: "it is a shell, or many programs in one",
        instead: "No shell stands behind commands: write the program itself with its arguments, one program a call.",
    },
    Kind {
        names: "env nice ionice timeout gtimeout xargs gxargs flock lockf nohup setsid setpgid stdbuf unbuffer time \
                gtime watch chrt taskset numactl parallel sem parset script scriptreplay scriptlive unshare nsenter \
                chroot fakechroot setarch linux32 linux64 i386 x86_64 uname26 personality setpriv capsh prlimit \
                runcon runuser choom strace strace64 ltrace gdb gdbserver lldb lldb-server cgdb rr perf valgrind \
                callgrind uftrace bpftrace dtrace expect autoexpect entr inotifywait-run incrond start-stop-daemon \
                daemon daemonize run-parts run-one run-this-one keep-one-running run-mailcap see compose at batch atq \
                atrm crontab anacron chronic ifne pee sponge-run ts-run xvfb-run dbus-launch dbus-run-session \
                dbus-send gdbus busctl fakeroot fakeroot-sysv fakeroot-tcp pseudo eatmydata datefudge faketime \
                cpulimit cgexec cgclassify firejail bwrap proot minijail0 nsjail tini dumb-init catatonit catchsegv \
                ldd ld.so hyperfine multitime detach dtach abduco reptyr rlwrap socklog runsv runsvdir svlogd s6-svscan \
                s6-setuidgid softlimit setlock setuidgid envdir envuidgid chpst mispipe vipe zrun command-not-found \
                setlogcons lckdo logsave sotruss vidir openvt startx xinit xterm uxterm urxvt rxvt alacritty kitty konsole gnome-terminal st \
                foot wezterm x-terminal-emulator ccache-swig unlinkat pkexec-run",
        beginnings: "ld-linux ld-musl ld.so ld64.so ld-2 s6- sem- tmux-",
        because: "it starts another program",
        instead: "Write that program itself with its arguments; time is limited by `timeout_s`.",
    },
    Kind {
        names: "sudo sudoedit sudo-rs doas su su-rs pkexec pkcheck pkttyagent login sulogin newgrp sg gosu su-exec \
                setuidgid visudo vipw vigr sudoreplay runuser polkit gksu kdesu beesu calife super dzdo",
        beginnings: "",
        because: "it acts as somebody else",
        instead: "Commands run with the rights of the call alone; write the program itself.",
    },
    Kind {
        names: "cd chdir pushd popd dirs",
        beginnings: "",
        because: "a folder changed by one call is forgotten by the next",
        instead: "Give the folder as `dir`.",
    },
    Kind {
        names: "eval exec source . : export unset set unsetenv setenv alias unalias bind bg fg jobs disown suspend \
                builtin command type typeset declare local let read readarray mapfile readonly return shift shopt \
                trap ulimit umask wait caller compgen complete compopt continue break enable exit getopts hash help \
                history fc logout times autoload zmodload zle setopt unsetopt limit unlimit rehash where whence \
                print functions noglob emulate",
        beginnings: "",
        because: "it is a word of shells and means nothing without one",
        instead: "Write the program itself with its arguments.",
    },
    Kind {
        names: "less lessecho lesskey more most pg pager sensible-pager bat-pager w3m lynx links links2 elinks man \
                mandb info pinfo apropos-pager zless zmore bzless bzmore xzless xzmore lzless lzmore zstdless lv \
                vi vim vimdiff vimtutor rvim rview view nvi elvis nvim ex exim-ed ed red edit editor sensible-editor \
                nano rnano pico emacs emacsclient xemacs zile mg jed joe jmacs jpico jstar rjoe mcedit mcview mc \
                micro helix hx kak kakoune amp tilde dte ne nedit gedit kate geany mousepad leafpad xedit gvim gview \
                gvimdiff evim eview code codium subl select-editor top htop btop atop gtop glances nmon iotop iftop \
                nethogs powertop bmon slabtop tload ranger nnn lf vifm yazi broot fff ncdu gdu mutt neomutt alpine \
                pine elm irssi weechat newsboat newsbeuter tig lazygit gitui gitk tmux screen byobu zellij dvtm \
                dialog whiptail cdialog zenity kdialog yad cfdisk alsamixer fzf sk skim peco percol fzy gum nsnake \
                crontab-ui visidata vd hexedit hexcurse dhex tuir cmus ncmpcpp moc mocp mpv-tui xdg-open open gio \
                exo-open kde-open mimeopen sensible-browser www-browser x-www-browser firefox chromium \
                chromium-browser google-chrome",
        beginnings: "vim. emacs- nvim- xdg- firefox- chromium-",
        because: "it waits for somebody at a terminal or a screen",
        instead: "Read with `file_read`, change with `file_edit`; for output use `cat`, `head`, `tail`, `grep`.",
    },
    Kind {
        names: "dd gdd dcfldd ddrescue dd_rescue mount umount umount2 mountpoint-run losetup kpartx fdisk sfdisk \
                gdisk sgdisk cgdisk parted partprobe partx addpart delpart resizepart gparted mkswap swapon swapoff \
                swaplabel blockdev blkdiscard blkzone wipefs badblocks hdparm sdparm smartctl nvme dmsetup dmraid \
                dmeventd lvm mdadm mdmon cryptsetup veritysetup integritysetup luksformat mknod mkfifo eject fuser \
                fusermount fusermount3 tune2fs resize2fs e2fsck e2image e2label e2undo dumpe2fs debugfs debugreiserfs \
                xfs_repair xfs_db xfs_admin btrfs btrfsck zfs zpool zdb bcachefs fstrim fsfreeze fallocate-dev chattr \
                setfacl setcap setfattr quotaon quotaoff edquota setquota insmod rmmod modprobe depmod kmod kexec \
                sysctl dmesg ldconfig pivot_root switch_root findfs-run hwclock rtcwake adjtimex ntpdate chronyc \
                setterm loadkeys kbd_mode chvt deallocvt setfont setkeycodes showkey fbset \
                iptables iptables-save iptables-restore ip6tables ebtables arptables nft ufw firewalld firewall-cmd \
                ip ifconfig ifup ifdown ifquery route arp rarp ethtool iw iwconfig iwlist rfkill brctl bridge tc ss \
                vconfig ipset wg wg-quick nmcli nmtui wpa_cli wpa_supplicant dhclient dhcpcd udhcpc hostapd tunctl \
                systemctl service rc-service rc-update initctl telinit init runlevel shutdown reboot halt poweroff \
                loginctl hostnamectl timedatectl localectl resolvectl networkctl bootctl coredumpctl journalctl \
                homectl portablectl oomctl update-rc.d invoke-rc.d chkconfig sv svc supervisorctl supervisord monit \
                launchctl udevadm grub-install grub-mkconfig update-grub update-initramfs efibootmgr dracut \
                docker docker-compose dockerd podman podman-compose nerdctl buildah skopeo ctr crictl runc crun \
                youki containerd kubectl kubeadm kubelet k3s k9s minikube kind helm oc lxc lxd incus machinectl virsh \
                virt-install vboxmanage vboxheadless vagrant multipass qemu flatpak snap toolbox distrobox \
                useradd userdel usermod groupadd groupdel groupmod groupmems adduser deluser addgroup delgroup \
                passwd chpasswd chgpasswd chsh chfn chage gpasswd pwconv pwunconv grpconv grpunconv newusers newuidmap \
                newgidmap faillock pam_tally2 authconfig setenforce semanage setsebool restorecon chcon aa-exec \
                aa-enforce aa-disable apparmor_parser auditctl update-alternatives alternatives dpkg-divert \
                dpkg-reconfigure locale-gen update-ca-certificates wall write mesg talk kill-all killall5",
        beginnings: "mkfs mke2fs fsck mkfs. fsck. systemd- lxc- qemu- docker- podman- lvm- xtables- iptables- \
                     mount. umount. pvc pvr pvm pvs vgc vgr vge vgs lvc lvr lve lvs grub- grub2-",
        because: "it changes devices, mounts, services, containers or accounts of the system",
        instead: "The system is not changed from here; copy files with `cp`, cut them with `head -c`.",
    },
    Kind {
        names: "pythonw pydoc idle 2to3 ipython bpython ptpython jupyter pypy micropython circuitpython cython \
                graalpy jython ipdb pdb pytest",
        beginnings: "python pypy pydoc ipython jupyter- idle-python",
        because: "Python has a tool of its own",
        instead: "Use the tool `python` if there is one; small changes of text are done with `sed`, `awk` or `file_edit`.",
    },
    Kind {
        names: "npx npm npm-cli pnpm pnpx yarn yarnpkg bun bunx deno corepack nvm fnm volta n asdf mise rtx pip pipx \
                pipenv poetry pdm hatch rye uv uvx easy_install conda mamba micromamba virtualenv venv gem bundle \
                bundler rbenv rvm chruby pecl pear composer phive cpan cpanm cpanplus cpm ppm luarocks opam cabal \
                stack ghcup rustup rustup-init brew port fink nix guix apt apt-get aptitude apt-key apt-add-repository \
                add-apt-repository dpkg dselect synaptic gdebi rpm rpm2cpio-run dnf dnf5 microdnf yum yum-builddep \
                zypper tdnf pacman pacstrap yay paru makepkg apk emerge equo eopkg xbps-install xbps-remove slackpkg \
                installpkg swupd rpm-ostree ostree pkg pkg_add pkgin softwareupdate winget choco scoop mvn mvnw gradle \
                gradlew ant sbt mill lein clj clojure boot jbang coursier cs sdk dotnet nuget paket vcpkg conan \
                spack easybuild dvc helmfile terraform tofu terragrunt pulumi ansible ansible-playbook puppet chef \
                salt-call cargo-binstall go-get goreleaser dart flutter pub swiftpm julia-pkg mix hex rebar3 \
                homebrew get-oh-my-zsh create-react-app degit tsx-run",
        beginnings: "pip2 pip3 pip. apt- nix- guix- dpkg- npm- ansible- rpm- yum- dnf-",
        because: "it fetches software and runs it",
        instead: "Nothing can be installed from here; use what the tool image has.",
    },
    Kind {
        names: "curl wget wget2 aria2c axel lwp-request lwp-download lwp-mirror lwp-dump fetch ftp lftp ncftp tnftp \
                tftp sftp scp ssh slogin sshfs sshpass autossh mosh mosh-client mosh-server dropbear dbclient plink \
                pscp psftp rsh rlogin rexec rcp telnet nc ncat netcat nc.openbsd nc.traditional socat socat1 udp6 \
                stunnel stunnel4 openvpn tinc tor torsocks torify proxychains proxychains4 tsocks http https xh httpie \
                curlie httping ab siege wrk hey vegeta k6 ping ping4 ping6 fping hping3 nping arping traceroute \
                traceroute6 tracepath mtr nmap zmap masscan rustscan netdiscover dig kdig drill delv nslookup host \
                whois finger rwho tcpdump tshark dumpcap wireshark ngrep tcpflow ettercap iperf iperf3 netperf \
                mail mailx bsd-mailx s-nail nail sendmail exim exim4 postfix postdrop ssmtp msmtp esmtp nullmailer \
                swaks fetchmail getmail mbsync offlineimap isync procmail smbclient smbget rpcclient net nmblookup \
                showmount mosquitto_pub mosquitto_sub redis-cli valkey-cli psql pg_dump pg_restore mysql mysqldump \
                mariadb mariadb-dump mongo mongosh mongodump cqlsh clickhouse clickhouse-client influx kafkacat kcat \
                ldapsearch ldapadd ldapmodify snmpwalk snmpget gh hub glab tea aws aws2 gcloud gsutil bq az doctl \
                flyctl heroku vercel netlify firebase wrangler rclone s3cmd s3fs mc-minio restic borg duplicity \
                duply rdiff-backup syncthing unison croc magic-wormhole wormhole yt-dlp youtube-dl you-get streamlink \
                transmission-cli aria2 deluge rtorrent ipfs svnserve svnsync svnrdump cvs bzr brz darcs pijul \
                dropbox megatools gdown huggingface-cli ollama cloudflared ngrok localtunnel xfreerdp vncviewer \
                x11vnc rdesktop remmina ntpq ntpdc whob geoiplookup-update cadaver davfs2 sitecopy",
        beginnings: "ssh- lwp- curl- nc. telnet. mysql- pg_ borg- ftp.",
        because: "it talks to the network, past the guard that checks every address",
        instead: "A command has no network; use a web tool if there is one.",
    },
    Kind {
        names: "git-upload-pack git-receive-pack git-upload-archive git-cvsserver git-daemon git-lfs git-annex gitk-git \
                git-remote-ext git-remote-fd scalar",
        beginnings: "git-",
        because: "it is a part of git that is started around git's own options",
        instead: "Write `git` with its command.",
    },
    Kind {
        names: "m4-run wish tixwish jshell irb pry erb-run ghci runghc runhaskell hugs erl iex escript sqsh scala-cli scala \
                kotlin kotlinc groovy groovysh groovyconsole jrunscript jjs osascript ts-node tsx qjs qjsc gjs cjs-console \
                d8 js js24 js78 js91 js102 js115 rhino nashorn txiki hermes quickjs spidermonkey node-repl coffee lsc \
                wasmtime wasmer wasm3 wine wine64 mono mint dosbox racket raco guile csi chicken gosh gambit gsi \
                petite scheme chez mit-scheme clisp sbcl ccl ecl abcl newlisp picolisp janet fennel hy lfe maxima \
                gp magma sage octave octave-cli matlab scilab julia gnuplot R Rscript r rscript littler rstudio \
                swipl prolog gprolog yap ocaml ocamlrun utop sml smlnj poly mosml gforth pforth vfox gst pike \
                rexx regina ooRexx tclsh expectk jimsh itclsh snobol4 icont icon awka gawkbug bpython3 crystal nim \
                v vala elixir dc_run raku rakudo perl6 tcc nickle calc-run forth spl yacas kawa bsh-java jython3 \
                php-cgi php-fpm phpdbg hhvm rename prename file-rename prove perldoc perlbug perlthanks \
                instmodsh rustscript cling root.exe rdmd dmd-run",
        beginnings: "js- tclsh tcl8 wish8 guile- ghc- swipl- octave-",
        because: "it runs a language whose programs can start others",
        instead: "Use the tool `python` if there is one, or a program of the tool image that does the one thing.",
    },
];
