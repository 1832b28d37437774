//! Mail and message delivery, marketing.

use crate::redact::rule::{Filter, Rule, bare, within};

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("sendgrid-key", "SendGrid API key", &["sg."], open!(r"SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,64}"), &[bare("SG.{url:22}.{url:43}")]),
    Rule::token("mailgun-key", "Mailgun API key", &["key-"], exact!("key-[a-f0-9]{32}"), &[bare("key-{hex:32}")]),
    Rule::vendor("mailgun-token", "Mailgun token or signing key", &["mailgun"], keyed!("mailgun", "[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}|[a-f0-9]{32}"), &[within("MAILGUN_API_KEY=", "{hex:32}-{hex:8}-{hex:8}", "")]),
    Rule::token("mailchimp-key", "Mailchimp API key", &["-us"], exact!("[a-f0-9]{32}-us[0-9]{1,2}"), &[bare("{hex:32}-us12"), bare("{hex:32}-us5")]).lead(32, 32),
    Rule::token("mandrill-key", "Mandrill API key", &["md-"], exact!(r"md-[A-Za-z0-9_\-]{22}"), &[bare("md-{alnum:10}3{url:11}")]).filter(Filter::Mixed).entropy(3.5),
    Rule::vendor("postmark-token", "Postmark token", &["postmark"], keyed!("postmark", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), &[within("X-Postmark-Server-Token: ", "{uuid}", ""), within("POSTMARK_API_TOKEN=", "{uuid}", "")]),
    Rule::token("brevo-key", "Brevo (Sendinblue) API key", &["xkeysib-", "xsmtpsib-"], open!("x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"), &[bare("xkeysib-{hex:64}-{alnum:16}"), bare("xsmtpsib-{hex:64}-{alnum:16}")]),
    Rule::token("resend-key", "Resend API key", &["re_"], exact!("re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}"), &[bare("re_{alnum:8}_{alnum:24}")]).filter(Filter::Mixed),
    Rule::vendor("sparkpost-key", "SparkPost API key", &["sparkpost"], keyed!("sparkpost", "[a-f0-9]{40}"), &[within("SPARKPOST_API_KEY=", "{hex:40}", "")]),
    Rule::vendor("mailjet-key", "Mailjet API key or secret", &["mailjet", "mj_apikey"], keyed!("mailjet|mj", "[a-f0-9]{32}"), &[within("MAILJET_API_SECRET=", "{hex:32}", ""), within("MJ_APIKEY_PRIVATE=", "{hex:32}", "")]),
    Rule::token("klaviyo-key", "Klaviyo private key", &["pk_"], exact!("pk_[a-f0-9]{34}"), &[bare("pk_{hex:34}")]),
    Rule::token("mailersend-token", "MailerSend token", &["mlsn."], open!(r"mlsn\.[a-f0-9]{64}"), &[bare("mlsn.{hex:64}")]),
    Rule::vendor("customerio-key", "Customer.io API key", &["customerio", "customer_io"], keyed!("customer_?io", "[a-f0-9]{20}|[a-f0-9]{32}"), &[within("CUSTOMERIO_API_KEY=", "{hex:32}", "")]),
    Rule::token("courier-key", "Courier API key", &["pk_prod_", "pk_test_"], exact!("pk_(?:prod|test)_[A-Z0-9]{28}"), &[bare("pk_prod_{upnum:28}")]),
    Rule::vendor("convertkit-secret", "Kit (ConvertKit) API secret", &["convertkit"], keyed!("convertkit", r"[A-Za-z0-9_\-]{43}|[A-Za-z0-9_\-]{22}"), &[within("CONVERTKIT_API_SECRET=", "{alnum:20}3{url:22}", "")]).filter(Filter::Mixed).entropy(3.5),
    Rule::token("onesignal-key", "OneSignal API key", &["os_v2_"], open!("os_v2_(?:app|org)_[a-z0-9]{60,}"), &[bare("os_v2_app_{lownum:100}")]),
    Rule::vendor("pusher-secret", "Pusher or Beams secret", &["pusher"], keyed!("pusher", "[a-f0-9]{20}|[A-F0-9]{64}"), &[within("PUSHER_APP_SECRET=", "{hex:20}", "")]),
    Rule::token("knock-key", "Knock API key", &["sk_"], exact!(r"sk_[A-Za-z0-9_\-]{42,44}"), &[bare("sk_{alnum:20}3{url:22}")]).filter(Filter::Mixed).entropy(4.0),
];
