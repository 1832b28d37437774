//! Private keys and the other things that are keys by themselves, whoever issued them.

use crate::redact::rule::{Filter, Hint, LeftEdge, Rule, bare, within};

/// An armoured block of one kind, closed by its last line; or, where that line is missing, as far as encoded text goes.
/// Two hyphens in a row end the search for the last line, so that a text full of first lines is read once only.
macro_rules! armoured {
    ($kind:expr) => {
        concat!(
            "\\A-----BEGIN ",
            $kind,
            "-----(?:(?:-?[^-])*-----END ",
            $kind,
            r"-----|(?:[\s\\nr>|#*]*[A-Za-z0-9+/=]{16,76})*[\s\\nr>|#*]*[A-Za-z0-9+/=]*)"
        )
    };
}

/// The same text encoded once more in base64, as configuration files of clusters hold it.
macro_rules! encoded {
    ($first_line:expr) => {
        concat!(r"\A(", $first_line, r"[A-Za-z0-9+/\-_]{40,}={0,2})")
    };
}

/// A word, and one more after each of these numbers.
macro_rules! numbered {
    ($($number:literal),*) => {
        concat!("[a-z]{3,8}", $(r"(?:[ \t,;]|\r?\n|\\[nr]){1,6}", $number, r"[.):][ \t]{1,3}[a-z]{3,8}"),*)
    };
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("rsa-private-key", "RSA private key (PKCS#1)", &["-----begin rsa private key-----"],
        armoured!("RSA PRIVATE KEY"),
        &[within("", "-----BEGIN RSA PRIVATE KEY-----\n{pem:12}{b64:40}=\n-----END RSA PRIVATE KEY-----", "\n"),
          within("", "-----BEGIN RSA PRIVATE KEY-----\\n{b64:64}\\n{b64:64}\\n{b64:30}==\\n-----END RSA PRIVATE KEY-----", "\\n"),
          within("", "-----BEGIN RSA PRIVATE KEY-----\n{pem:4}{b64:20}", "\n\nand so on"),
          within("", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{HEX:32}\n\n{pem:9}-----END RSA PRIVATE KEY-----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("ec-private-key", "Elliptic-curve private key (SEC1)", &["-----begin ec private key-----"],
        armoured!("EC PRIVATE KEY"),
        &[within("", "-----BEGIN EC PRIVATE KEY-----\n{pem:3}-----END EC PRIVATE KEY-----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("dsa-private-key", "DSA private key", &["-----begin dsa private key-----"],
        armoured!("DSA PRIVATE KEY"),
        &[within("", "-----BEGIN DSA PRIVATE KEY-----\n{pem:6}-----END DSA PRIVATE KEY-----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("openssh-private-key", "OpenSSH private key", &["-----begin openssh private key-----"],
        armoured!("OPENSSH PRIVATE KEY"),
        &[within("", "-----BEGIN OPENSSH PRIVATE KEY-----\n{pem:7}-----END OPENSSH PRIVATE KEY-----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("pkcs8-private-key", "Private key (PKCS#8), also in a service account file",
        &["-----begin private key-----"],
        armoured!("PRIVATE KEY"),
        &[within("", "-----BEGIN PRIVATE KEY-----\n{pem:20}{b64:24}\n-----END PRIVATE KEY-----", "\n"),
          within("\"private_key\": \"", "-----BEGIN PRIVATE KEY-----\\n{b64:64}\\n{b64:64}\\n-----END PRIVATE KEY-----", "\\n\"")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("encrypted-private-key", "Encrypted private key (PKCS#8)", &["-----begin encrypted private key-----"],
        armoured!("ENCRYPTED PRIVATE KEY"),
        &[within("", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n{pem:20}-----END ENCRYPTED PRIVATE KEY-----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("pgp-private-key", "OpenPGP private key block", &["-----begin pgp private key block-----"],
        armoured!("PGP PRIVATE KEY BLOCK"),
        &[within("", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{pem:14}={b64:4}\n-----END PGP PRIVATE KEY BLOCK-----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("pem-private-key", "Private key in an armoured block of another kind", &["-----begin"],
        armoured!("(?:[A-Z0-9]{2,12} ){1,3}(?:PRIVATE|SECRET) KEY"),
        &[within("", "-----BEGIN ANY PRIVATE KEY-----\n{pem:5}-----END ANY PRIVATE KEY-----", "\n"),
          within("", "-----BEGIN TSS2 PRIVATE KEY-----\n{pem:5}-----END TSS2 PRIVATE KEY-----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("ssh2-private-key", "SSH2 private key", &["---- begin ssh2 encrypted private key ----"],
        r"\A---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(?:-?[^-])*---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        &[within("", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"key\"\n{pem:5}---- END SSH2 ENCRYPTED PRIVATE KEY ----", "\n")])
        .whole().left(LeftEdge::Any).filter(Filter::Block).hint(Hint::None),
    Rule::token("putty-private-key", "PuTTY private key", &["putty-user-key-file-"],
        r"\APuTTY-User-Key-File-\d:[\s\S]*?Private-Lines: ?\d{1,3}(?:\s|\\[nr])+((?:[A-Za-z0-9+/=]{1,76}(?:\s|\\[nr])*)+)",
        &[within("PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: key\nPublic-Lines: 1\nAAAAB3NzaC1yc2E=\nPrivate-Lines: 2\n", "{b64:64}\n{b64:40}", "\nPrivate-MAC: 00\n")])
        .filter(Filter::None),
    Rule::token("base64-private-key", "Private key encoded once more in base64", &["ls0tls1crudjti"],
        encoded!("LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFURSBLRVk|BFQyBQUklWQVRFIEtFW|BQUklWQVRFIEtFW|BPUEVOU1NIIFBSSVZBVEUgS0VZ|BFTkNSWVBURUQgUFJJVkFURSBLRV|BEU0EgUFJJVkFURSBLRVk|BQR1AgUFJJVkFURSBLRVkg)"),
        &[within("", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo{b64:200}==", ""),
          within("client-key-data: ", "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk{b64:180}", "\n")])
        .filter(Filter::None),
    Rule::token("age-secret-key", "age identity", &["age-secret-key-"],
        open!("(?i:AGE-SECRET-KEY-(?:PQ-)?1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,})"),
        &[bare("AGE-SECRET-KEY-1{bech32:58}")]),
    Rule::token("minisign-secret-key", "minisign or signify secret key", &["untrusted comment:"],
        r"\Auntrusted comment: [^\n\\]{0,100}secret key[^\n\\]{0,40}(?:\r?\n|\\n)(RW[A-Za-z0-9+/]{80,}={0,2})",
        &[within("untrusted comment: minisign encrypted secret key\n", "RW{b64:180}", "\n")]).filter(Filter::None).hint(Hint::None),
    Rule::keyed("wireguard-key", "WireGuard private or preshared key", &["privatekey", "presharedkey"],
        r#"\A(?:PrivateKey|PresharedKey|PreSharedKey)["']?\s{0,4}[=:]\s{0,4}["']?([A-Za-z0-9+/]{43}=)"#,
        &[within("PrivateKey = ", "{b64:43}=", "\n"), within("PresharedKey=", "{b64:43}=", "")]).entropy(3.5),
    Rule::keyed("jwk-private-key", "Private part of a JSON Web Key", &["\"kty"],
        r#"\A"kty\\?"[^{}]*?"(?:d|k)\\?"\s{0,3}:\s{0,3}\\?"([A-Za-z0-9_\-]{22,})"#,
        &[within("{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"", "{url:43}", "\"}")]).left(LeftEdge::Any).near(3000),
    Rule::token("bip32-extended-private-key", "Extended private key of a wallet", &["xprv", "yprv", "zprv", "tprv"],
        open!("[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
        &[bare("xprv{base58:107}")]),
    Rule::keyed("wallet-import-key", "Private key of a wallet in import format",
        &["private key", "private_key", "privatekey", "privkey", "wif"],
        r#"\A(?i:private[ _]?key|privkey|wif)["'`\])]{0,2}\s{0,3}(?:=|:|is)\s{0,3}["'`]{0,2}([5KLc9][1-9A-HJ-NP-Za-km-z]{50,51})(?:[^A-Za-z0-9]|\z)"#,
        &[within("private key: ", "K{base58:51}", ""), within("WIF=", "5{base58:50}", "")]).entropy(3.5),
    Rule::keyed("ethereum-private-key", "Private key of an Ethereum account",
        &["private key", "private_key", "privatekey", "priv_key", "privkey", "secret key", "secret_key", "secretkey",
          "deployer_key"],
        r#"\A(?i:(?:private|priv|secret|deployer)[ _]?key)[\w ]{0,12}?(?:["'`\])]{0,2}\s{0,3}(?:=|:|,|\(|is)\s{0,3}["'`]{0,2}(?:0x)?|["'`*]{0,2}\s{1,3}["'`]{0,2}0x)([0-9a-fA-F]{64})(?:[^A-Za-z0-9]|\z)"#,
        &[within("PRIVATE_KEY=", "0x{hex:64}", ""), within("private key is ", "{hex:64}", "."),
          within("private key 0x", "{hex:64}", ""), within("my private key is ", "0x{hex:64}", ", keep it")]).entropy(3.0),
    Rule::keyed("wallet-seed-phrase", "Recovery phrase of a wallet",
        &["seed phrase", "recovery phrase", "mnemonic", "seed_phrase", "secret phrase", "seed words",
          "recovery words", "backup phrase", "wallet words", "wallet phrase", "wallet seed", "seed:"],
        r#"\A(?i:(?:seed|recovery|secret|backup|wallet)[ _](?:phrase|words|seed)|mnemonic(?:[ _](?:phrase|words))?|seed)(?:[ ](?i:for|of|to|from)[ ][\w .'\-]{1,40}?)?["'`\\*]{0,2}\s{0,3}(?:=|:|is|are|was):?\*{0,2}(?:[\s"'`\[>|\-0-9.):]|\\[nr"]){0,12}((?:[a-z]{3,8}(?:[ ,;"'|\t\r\n\-0-9.):]|\\[nr"]){1,8}){11,23}[a-z]{3,8})(?:[^A-Za-z]|\z)"#,
        &[within("my seed phrase is ", "{words:12}", ""), within("mnemonic = \"", "{words:24}", "\""),
          within("recovery phrase for the shop wallet:\n", "{words:12}", "\n"),
          within("seed words:\n1 ", "{numbered: }", "\n")])
        .filter(Filter::Phrase).hint(Hint::None),
    Rule::token("numbered-seed-phrase", "Recovery phrase of a wallet, its words numbered", &["1. ", "1) ", "1: "],
        concat!(r"\A1[.):][ \t]{1,3}(", numbered!("2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"),
            r"(?:(?:[ \t,;]|\r?\n|\\[nr]){1,6}(?:1[3-9]|2[0-4])[.):][ \t]{1,3}[a-z]{3,8}){0,12})(?:[^A-Za-z]|\z)"),
        &[within("1. ", "{numbered:. }", ""), within("1) ", "{numbered:) }", "")])
        .filter(Filter::NumberedPhrase).left(LeftEdge::Number).hint(Hint::Numbered),
    Rule::keyed("otp-secret", "Seed of one-time passwords", &["otpauth://"],
        r"\Aotpauth://[^\s]*?[?&]secret=([A-Za-z2-7]{10,}=*)",
        &[within("otpauth://totp/Shop:alice?secret=", "{base32:32}", "&issuer=Shop")]).left(LeftEdge::Any).near(600),
    Rule::keyed("otp-setup-key", "Seed of one-time passwords, typed by hand",
        &["totp", "2fa", "mfa", "authenticator"],
        r#"\A(?i:totp|2fa|mfa|authenticator)[\w \-]{0,20}?(?i:secret|seed|key)["'`]?\s{0,3}(?:=|:|is)\s{0,3}["'`]{0,2}([A-Z2-7]{16,64})(?:[^A-Za-z0-9]|\z)"#,
        &[within("TOTP_SECRET=", "{base32:32}", ""), within("the 2FA setup key is ", "{base32:16}", "")])
        .entropy(2.8),
    Rule::token("json-web-token", "JSON Web Token", &["eyj"],
        r"\A(eyJ[A-Za-z0-9_\-]{8,}\.(?:eyJ[A-Za-z0-9_\-]{8,}|[A-Za-z0-9_\-]*\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,})\.[A-Za-z0-9_\-]{16,})",
        &[bare("eyJ{alnum:33}.eyJ{url:90}.{url:43}"), bare("eyJ{alnum:40}.{url:342}.{url:16}.{url:80}.{url:22}")])
        .filter(Filter::None).left(LeftEdge::Token).far().hint(Hint::Run(36)),
    Rule::token("password-hash", "Salted hash of a password, as in a Unix shadow file",
        &["$1$", "$5$", "$6$", "$y$", "$gy$", "$2b$", "$2a$", "$2y$"],
        r"\A(\$(?:[156]\$[./A-Za-z0-9=,]{1,40}\$[./A-Za-z0-9]{22,86}|g?y\$[./A-Za-z0-9]{1,12}\$[./A-Za-z0-9]{8,40}\$[./A-Za-z0-9]{43}|2[abxy]\$\d\d\$[./A-Za-z0-9]{53}))(?:[^./A-Za-z0-9]|\z)",
        &[within("root:", "$6${alnum:16}${alnum:86}", ":19000:0:99999:7:::"),
          within("root:", "$y$j9T${alnum:22}${alnum:43}", ":19000:0:99999:7:::"), bare("$2b$12${alnum:53}")])
        .filter(Filter::None).left(LeftEdge::Any),
];
