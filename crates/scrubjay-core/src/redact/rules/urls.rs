//! Addresses, headers, connection strings, command lines and configuration that carry a password: only the password is
//! taken out.

use crate::redact::rule::{Filter, Hint, LeftEdge, Rule, within};

/// `scheme://user:password@host`. A password may contain `@`, so it ends at the last one before the path; one with a
/// slash in it is tried as a second form.
macro_rules! with_password {
    ($scheme:expr) => {
        concat!(
            r"\A(?i:",
            $scheme,
            r#")://[^\s:/@"'`<>]*:(?:([^\s/?"'`<>]+)@[\w\[.*$%{(-]|([^\s@"'`<>]+)@[\w\[.$%{(-])"#
        )
    };
}

/// The end of a Terraform variable's name that names a secret; `secret_name` and `token_ttl` name none.
macro_rules! terraform_name {
    () => {
        r"(?i:password|passwd|passphrase|pwd|secret|token|api_?key|private_?key|access_?key|secret_?key|credentials?)"
    };
}

/// What stands between the braces of a variable, with at most one level of braces in it.
macro_rules! terraform_body {
    () => {
        r"(?:[^{}]|\{[^{}]*\})*?"
    };
}

macro_rules! terraform_value {
    () => {
        r#"\bdefault\s{0,12}=\s{0,4}\\?"([^"\n\\$]{3,256})"#
    };
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::keyed("postgres-url-password", "Password in a PostgreSQL address", &["postgres", "cockroachdb"],
        with_password!(r"(?:postgres(?:ql)?|cockroachdb)(?:\+\w+)?"),
        &[within("postgres://shop:", "{alnum:16}", "@db.internal:5432/shop"),
          within("postgresql+asyncpg://shop:", "{alnum:5}@{alnum:9}", "@localhost/shop")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("mysql-url-password", "Password in a MySQL address", &["mysql", "mariadb"],
        with_password!(r"(?:mysql|mariadb)(?:\+\w+)?x?"),
        &[within("mysql://root:", "{alnum:12}", "@10.0.0.3/shop"),
          within("mysql+pymysql://shop:", "{lower:6}!{digit:3}", "@db/shop")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("mongodb-url-password", "Password in a MongoDB address", &["mongodb"],
        with_password!(r"mongodb(?:\+srv)?"),
        &[within("mongodb+srv://shop:", "{alnum:18}", "@cluster0.mongodb.net/?retryWrites=true"),
          within("mongodb://a:", "{alnum:9}", "@h1:27017,h2:27017/db")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("redis-url-password", "Password in a Redis address", &["redis", "valkey"],
        with_password!(r"(?:rediss?|valkeys?)(?:-sentinel)?"),
        &[within("redis://:", "{alnum:20}", "@cache:6379/0"),
          within("rediss://default:", "{alnum:32}", "@eu1.upstash.io:6379")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("amqp-url-password", "Password in an AMQP address", &["amqp"],
        with_password!("amqps?"),
        &[within("amqp://shop:", "{alnum:14}", "@queue:5672/vhost"),
          within("amqps://shop:", "{alnum:32}", "@hare.rmq.cloudamqp.com/shop")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("database-url-password", "Password in another database or broker address",
        &["mssql", "sqlserver", "oracle", "clickhouse", "nats", "kafka", "cassandra", "neo4j", "bolt", "couchbase",
          "elasticsearch", "influxdb", "libsql", "jdbc:", "mqtt", "snowflake", "redshift", "trino", "presto",
          "vertica", "db2"],
        with_password!(r"(?:mssql|sqlserver|oracle|clickhouses?|nats|kafka|cassandra|neo4j|bolt|couchbases?|elasticsearch|influxdb|libsql|mqtts?|snowflake|redshift|trino|presto|vertica|db2)(?:\+\w+)*"),
        &[within("clickhouse://shop:", "{alnum:14}", "@ch:9000/shop"),
          within("neo4j+s://neo4j:", "{alnum:24}", "@x.databases.neo4j.io"),
          within("nats://a:", "{alnum:14}", "@n:4222")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("mail-url-password", "Password in a mail address of a server", &["smtp", "imap", "pop3"],
        with_password!(r"(?:smtps?|imaps?|pop3s?)(?:\+\w+)?"),
        &[within("smtps://shop:", "{alnum:14}", "@mail.shop.org:465")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("file-transfer-url-password", "Password in a file transfer address",
        &["ftp", "sftp", "ssh", "smb", "webdav", "rsync", "ldap"],
        with_password!("(?:s?ftps?|ssh|smb|webdavs?|rsync|ldaps?|scp)"),
        &[within("sftp://shop:", "{alnum:14}", "@files.shop.org/x")])
        .filter(Filter::GivenPassword).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("url-password", "Password in an address", &["://"],
        r#"\A://[^\s:/@"'`<>]*:([^\s/?#"'`<>]+)@[\w\[.-]"#,
        &[within("https://shop:", "{alnum:14}", "@git.shop.org/x.git"),
          within("https://oauth2:", "{alnum:26}", "@git.shop.org/x.git")])
        .filter(Filter::GivenPassword).left(LeftEdge::Any).near(600).hint(Hint::At).no_entropy(),
    Rule::keyed("url-token", "Token as the user of an address", &["://"],
        r#"\A://([A-Za-z0-9_\-]{20,})(?::x-oauth-basic)?@[\w.-]+"#,
        &[within("https://", "{alnum:40}", "@git.shop.org/x.git")])
        .filter(Filter::Mixed).left(LeftEdge::Any).near(600).hint(Hint::At).entropy(3.3),
    Rule::token("mysql-dsn-password", "Password in a Go data source name", &["@tcp(", "@unix("],
        r"\A[A-Za-z0-9_.\-]{1,32}:([^\s:/@]{1,64})@(?:tcp|unix)\(",
        &[within("shop:", "{alnum:14}", "@tcp(127.0.0.1:3306)/shop")])
        .lead(4, 98).filter(Filter::GivenPassword).hint(Hint::None),
    Rule::keyed("connection-string-password", "Password in a connection string", &["password", "pwd"],
        r#"\A(?i:password|pwd)\s{0,2}=\s{0,2}([^\s;"'&<>]{3,128})"#,
        &[within("Server=db;User Id=shop;Password=", "{alnum:12}", ";Encrypt=true"),
          within("jdbc:mysql://db/shop?user=a&password=", "{alnum:12}", "&x=1"),
          within("Server=db;Uid=a;Pwd=", "{lower:9}", ";")])
        .filter(Filter::GivenPassword).left(LeftEdge::Separator).hint(Hint::Operator).no_entropy(),
    Rule::keyed("libpq-password", "Password in a PostgreSQL keyword string", &["host="],
        r#"\Ahost=[^\n"]*?\spassword=(?:'([^'\n]+)'|([^\s'"]{3,}))"#,
        &[within("host=db user=shop password=", "{lower:10}", " dbname=shop")])
        .filter(Filter::GivenPassword).near(500).no_entropy(),
    Rule::keyed("authorization-basic", "Basic authorization header", &["authorization", "basic"],
        r#"\A(?i:(?:proxy-)?authorization["'`\\]{0,2}\s{0,3}[:=,]\s{0,3}["'`\\]{0,2}basic)\s{1,3}([A-Za-z0-9+/_\-]{8,}={0,2})"#,
        &[within("Authorization: Basic ", "{b64:26}==", ""), within("\"Authorization\": \"Basic ", "{b64:30}", "\"")])
        .filter(Filter::Mixed),
    Rule::keyed("authorization-bearer", "Bearer or token authorization header", &["authorization"],
        r#"\A(?i:(?:proxy-)?authorization["'`\\\])]{0,3}\s{0,3}[:=,]\s{0,3}["'`\\]{0,2}(?:bearer|token|apikey|key|digest|oauth))[\s=]{1,3}["'\\]{0,2}([A-Za-z0-9._~+/=\-]{12,})"#,
        &[within("Authorization: Bearer ", "{alnum:32}", ""), within("\"Authorization\": \"token ", "{hex:40}", "\""),
          within("headers['Authorization'] = 'Bearer ", "{url:43}", "'")]).filter(Filter::Mixed).entropy(2.8),
    Rule::keyed("bearer-token", "Bearer token", &["bearer"],
        r"\A(?i:bearer)\s{1,2}([A-Za-z0-9._~+/\-]{20,}={0,2})",
        &[within("curl -H \"X: Bearer ", "{alnum:40}", "\""), within("bearer ", "{hex:48}", "")])
        .filter(Filter::Secret).entropy(3.3),
    Rule::keyed("secret-header", "Secret in a header",
        &["x-api-key", "x-auth-token", "x-access-token", "x-api-token", "api-key:", "x-secret", "x-functions-key",
          "private-token", "x-token", "x-csrf-token", "x-amz-security-token", "x-gitlab-token", "x-figma-token",
          "x-subscription-token", "x-goog-api-key", "xi-api-key"],
        r#"\A(?i:x-(?:api|auth|access|secret|functions|csrf|gitlab|figma|subscription|goog-api|amz-security)?-?(?:key|token|secret)|api-key|private-token|xi-api-key)["'`\\]{0,2}\s{0,3}[:=,]\s{0,3}["'`\\]{0,2}([A-Za-z0-9._~+/=\-]{12,})"#,
        &[within("X-Api-Key: ", "{alnum:32}", ""), within("PRIVATE-TOKEN: ", "{alnum:20}", ""),
          within("\"x-access-token\": \"", "{alnum:40}", "\"")]).filter(Filter::Mixed),
    Rule::keyed("session-cookie", "Session cookie", &["cookie"],
        r#"\A(?i:cookie)["'`]?\s{0,2}[:=]\s{0,2}["'`]?[^\n\[]*?(?i:sess(?:ion)?(?:[_-]?id)?|sid|auth|token|jwt)[\w.\-]{0,20}=([A-Za-z0-9%._~+/|:\-]{16,}=*)"#,
        &[within("Cookie: theme=dark; session=", "{url:40}", "; x=1"),
          within("Set-Cookie: connect.sid=", "s%3A{url:32}.{alnum:43}", "; Path=/; HttpOnly")])
        .filter(Filter::Mixed).near(1200),
    Rule::token("netrc-password", "Password in a .netrc file", &["machine "],
        r"\Amachine\s+\S{1,100}\s+login\s+\S{1,100}\s+password\s+(\S{3,200})",
        &[within("machine api.shop.org login alice password ", "{alnum:14}", "\n"),
          within("machine git.shop.org\n  login alice\n  password ", "{lower:9}", "\n")])
        .filter(Filter::GivenPassword).hint(Hint::None),
    Rule::token("pgpass-password", "Password in a .pgpass file",
        &[":5432:", ":5433:", ":5434:", ":5439:", ":6432:", ":6543:", ":25060:", ":26257:", ":*:"],
        r"\A(?:[A-Za-z0-9.*_\-]|\\:){1,80}:(?:[0-9]{4,5}|\*):[^\s:\\]{1,64}:[^\s:\\]{1,64}:((?:[^\s:\\\x22'`]|\\[\\:]){3,128})(?:[\s\x22'`]|\\[nr]|\z)",
        &[within("localhost:5432:shop:anna:", "{lower:10}", "\n"), within("*:*:*:anna:", "{alnum:12}", "\n"),
          within("db.shop.org:5432:*:anna:", "{lower:6}{mark:1}{digit:3}", "\n")])
        .lead(1, 80).left(LeftEdge::Blank).filter(Filter::GivenPassword).hint(Hint::None),
    Rule::token("powershell-secure-string", "Password in a PowerShell command", &["convertto-securestring"],
        r#"\A(?:["']([^"'\n$]{3,128})["'][ \t]{0,3}\|[ \t]{0,3}(?i:ConvertTo-SecureString)|(?i:ConvertTo-SecureString)(?:[ \t]+-(?i:String|AsPlainText|Force))*[ \t]+(?:\\?"([^"\n\\]{3,128})\\?"|'([^'\n]{3,128})'|([^\s"'$(@|;)-][^\s"';|)]{2,128})))"#,
        &[within("ConvertTo-SecureString \"", "{alnum:12}", "\" -AsPlainText -Force"),
          within("ConvertTo-SecureString -String '", "{lower:6}{mark:1}{digit:3}", "' -AsPlainText -Force"),
          within("ConvertTo-SecureString -AsPlainText -Force ", "{alnum:12}", "\n"),
          within("'", "{lower:10}", "' | ConvertTo-SecureString -AsPlainText -Force")])
        .lead(0, 140).left(LeftEdge::Any).filter(Filter::GivenPassword).hint(Hint::None),
    Rule::keyed("terraform-default", "Default value of a secret variable in Terraform", &["variable \"", "variable \\\""],
        concat!(
            // Named like a secret; or marked as one, before or after the value.
            r#"\Avariable\s{1,4}\\?"(?:[\w\-]*?"#, terraform_name!(), r#"\\?"\s{0,4}\{"#, terraform_body!(), terraform_value!(),
            r#"|[\w\-]{1,80}\\?"\s{0,4}\{(?:"#, terraform_body!(), r"\bsensitive\s{0,12}=\s{0,4}true\b", terraform_body!(), terraform_value!(),
            "|", terraform_body!(), terraform_value!(), r#"\\?""#, terraform_body!(), r"\bsensitive\s{0,12}=\s{0,4}true\b))"),
        &[within("variable \"db_password\" {\n  type    = string\n  default = \"", "{lower:10}", "\"\n}\n"),
          within("variable \"api_token\" {\n  default = \"", "{alnum:24}", "\"\n}\n"),
          within("variable \"dsn\" {\n  default   = \"", "{alnum:14}", "\"\n  sensitive = true\n}\n"),
          within("variable \"dsn\" {\n  sensitive = true\n  default   = \"", "{alnum:14}", "\"\n}\n")])
        .left(LeftEdge::Word).filter(Filter::GivenPassword).near(2000).no_entropy(),
    Rule::token("curl-user-password", "Password given to curl", &["curl"],
        r#"\Acurl\b[^\n]*?\s(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{1,64}:([^\s"']{3,128})"#,
        &[within("curl -s -u alice:", "{alnum:12}", " https://shop.org"),
          within("curl --user 'alice:", "{lower:9}", "' https://shop.org")])
        .filter(Filter::GivenPassword).near(500).hint(Hint::None),
    Rule::token("sshpass-password", "Password given to sshpass", &["sshpass"],
        r#"\Asshpass\s+-p\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"']{3,}))"#,
        &[within("sshpass -p '", "{alnum:12}", "' ssh a@b"), within("sshpass -p ", "{lower:9}", " ssh a@b")])
        .filter(Filter::GivenPassword).hint(Hint::None),
    Rule::token("mysql-flag-password", "Password given to a MySQL command", &["mysql", "mariadb"],
        r#"\A(?:mysql|mariadb)(?:dump|admin|sh)?\b[^\n|]*?\s-p["']?([^\s"'`;|]{4,})"#,
        &[within("mysql -u root -p", "{alnum:8}4{alnum:3}", " shop")])
        .filter(Filter::Password).near(400).hint(Hint::None),
    Rule::keyed("flag-secret", "Secret given on a command line",
        &["password", "passwd", "token", "secret", "api-key", "apikey", "access-key", "passphrase", "client-secret",
          "private-key", "auth-token"],
        r#"\A(?i:password|passwd|passphrase|token|secret|api-?key|access-key|secret-key|private-key)(?:[ \t]+|=)(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'`;|&<>]{6,}))"#,
        &[within("tool --password ", "{alnum:12}", " --verbose"), within("tool --api-key=", "{alnum:30}", ""),
          within("tool --db-password '", "{lower:5}#{digit:5}", "'")])
        .filter(Filter::Password).left(LeftEdge::Flag).no_entropy(),
    Rule::keyed("sql-password", "Password in an SQL statement",
        &["identified", "with password '", "encrypted password '", "set password '"],
        r"\A(?i:identified\s+(?:with\s+\S{1,40}\s+)?by|(?:with|encrypted|set) password)\s{1,3}N?'([^'\n]{4,128})'",
        &[within("CREATE USER a IDENTIFIED BY '", "{alnum:12}", "';"),
          within("ALTER ROLE a WITH PASSWORD '", "{lower:9}", "';")])
        .filter(Filter::GivenPassword).near(600).no_entropy(),
    Rule::keyed("redis-requirepass", "Password in a Redis configuration", &["requirepass", "masterauth"],
        r#"\A(?i:requirepass|masterauth)\s+["'\\]{0,2}([^\s"'\\#]{4,})"#,
        &[within("requirepass ", "{alnum:20}", "\n"), within("masterauth \"", "{alnum:12}", "\"")])
        .filter(Filter::Mixed).near(600).no_entropy(),
    Rule::keyed("login-command-password", "Password on a login command",
        &["docker login", "az login", "heroku login", "oc login"],
        r#"\A(?:docker|az|heroku|oc) login\b[^\n]*?\s(?:-p|--password)[ =]["']?([^\s"']{4,})"#,
        &[within("docker login -u alice -p ", "{alnum:14}", " ghcr.io")])
        .filter(Filter::GivenPassword).near(400).no_entropy(),
];
