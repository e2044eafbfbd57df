# sign.ps1 FILE...: signs with the certificate (PFX, base64) and password of WINDOWS_CERTIFICATE and WINDOWS_CERTIFICATE_PASSWORD.
$ErrorActionPreference = "Stop"
$pfx = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString() + ".pfx")
[IO.File]::WriteAllBytes($pfx, [Convert]::FromBase64String($env:WINDOWS_CERTIFICATE))
try {
    $password = ConvertTo-SecureString -String $env:WINDOWS_CERTIFICATE_PASSWORD -AsPlainText -Force
    $certificate = Import-PfxCertificate -FilePath $pfx -CertStoreLocation Cert:\CurrentUser\My -Password $password
    foreach ($file in $args) {
        $done = Set-AuthenticodeSignature -FilePath $file -Certificate $certificate -HashAlgorithm SHA256 -TimestampServer "http://timestamp.digicert.com"
        if ($done.Status -ne "Valid") { throw "$file : $($done.StatusMessage)" }
        "signed $file"
    }
} finally {
    Remove-Item $pfx
}
